import { Module, type DynamicModule } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { adapters } from './adapters.js';
import { ChaosAgent, HELD_TOKENS, JOURNAL } from './chaos.agent.js';
import { Journal } from './journal.js';
import type { AgentSettings } from './settings.js';

/** The agent as an application would set it up, as two agents: one whose runs are repeated when they are interrupted, one whose are not. */
@Module({})
export class ChaosAppModule {
  static register(settings: AgentSettings): DynamicModule {
    const { leaseTtlMs, leaseRenewMs, cancelGraceMs, drainMs, startTimeoutMs, sweepMs } = settings;
    return {
      module: ChaosAppModule,
      imports: [
        ...adapters(settings),
        A2AModule.forRoot({
          publicUrl: `http://127.0.0.1:${settings.port}`,
          transport: { keepAliveMs: 2_000 },
          execution: { leaseTtlMs, leaseRenewMs, cancelGraceMs, drainMs, startTimeoutMs },
          recovery: { sweepMs },
          controllers: settings.role === 'web',
          retention: { maxFinishedLogs: 0, finishedLogTtlMs: 0 },
        }),
        A2AModule.forFeature([
          {
            agent: ChaosAgent,
            id: 'steady',
            path: 'steady',
            wellKnown: false,
            options: { onInterrupted: 'retry' },
          },
          { agent: ChaosAgent, id: 'brittle', path: 'brittle', wellKnown: false },
        ]),
      ],
      providers: [
        ChaosAgent,
        { provide: JOURNAL, useValue: new Journal(settings.journals, settings.process) },
        { provide: HELD_TOKENS, useValue: { current: new Map() } },
      ],
    };
  }
}
