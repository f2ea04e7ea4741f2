import { Test } from '@nestjs/testing';
import { getA2AClientToken, type A2AClient } from 'nest-a2a/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordingAgent } from '../client/auth/support/recording-agent.js';
import { exportsOf } from './snippets.js';

describe('the guide to credentials of clients', () => {
  let guide: any;
  let agent: RecordingAgent;
  beforeAll(async () => {
    agent = await RecordingAgent.start({
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: {} } }],
    });
    vi.stubEnv('LEDGER_URL', agent.base);
    guide = await exportsOf('client-auth');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all(
      [guide.accounts, guide.billing, guide.vault, guide.mail].map((client) => client.close()),
    );
    await agent[Symbol.asyncDispose]();
  });

  it('takes tokens from a service of the application', async () => {
    const module = await Test.createTestingModule({ imports: [guide.LedgerModule] }).compile();
    const client = module.get<A2AClient>(getA2AClientToken('ledger'), { strict: false });
    await client.getTask({ id: 't1' });
    expect(agent.calls.at(-1)!.headers.authorization).toBe(
      `Bearer known-token-for-${new URL(agent.base).host}`,
    );
    await module.close();
  });
});
