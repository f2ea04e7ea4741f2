import { Module, type DynamicModule } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { backing } from './backing.js';
import { PaymentsAgent } from './payments.agent.js';
import { ReadyController } from './ready.controller.js';
import { ReportsAgent } from './reports.agent.js';
import type { Settings } from './settings.js';

/** The same agents in every process: a web process has to know their cards, a worker their code. */
@Module({})
export class AppModule {
  static register(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ...backing(settings),
        A2AModule.forRoot({
          controllers: settings.role !== 'worker',
          publicUrl: settings.publicUrl,
          // Longer than most runs take. Kubernetes must be told to wait longer still.
          execution: { drainMs: 20_000 },
        }),
        A2AModule.forFeature([
          { agent: ReportsAgent, path: 'reports', wellKnown: true },
          { agent: PaymentsAgent, path: 'payments' },
        ]),
      ],
      controllers: [ReadyController],
      providers: [ReportsAgent, PaymentsAgent],
    };
  }
}
