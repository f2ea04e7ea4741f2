import { afterAll, expect, it } from 'vitest';
import { send } from '../e2e/calls.js';
import { Processes } from './processes.js';

const processes = new Processes();
afterAll(() => processes.end());

it('a fixture is ready when it is started, and ends as it is told', async () => {
  const [one, two] = await Promise.all([processes.start(), processes.start()]);
  expect(one.port).not.toBe(two.port);
  expect((await send(one.base, 'quick')).status.state).toBe('TASK_STATE_COMPLETED');
  expect(await one.stop()).toMatchObject({ code: 0 });
  expect(await two.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  expect([one.running, two.running]).toEqual([false, false]);
});

it('a fixture that cannot start says why', async () => {
  await expect(processes.start({ STORE: 'oracle' })).rejects.toThrow(/STORE=oracle/);
});
