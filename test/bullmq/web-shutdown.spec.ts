import { expect, it } from 'vitest';
import { UnavailableError } from '../../lib/protocol/errors.js';
import { plainAgent } from '../execution/agent-host.js';
import { gate } from '../execution/writer-harness.js';
import { describeWithServer } from '../support/servers.js';
import { Cluster } from './cluster.js';

describeWithServer('A web process that shuts down', 'redis', () => {
  it('waits for workers as long as it drains, then answers with the task as it is; the run goes on', async () => {
    const [begun, go] = [gate(), gate()];
    const agent = plainAgent(async ({ updater, userInput }) => {
      await updater.startWork();
      if (userInput === 'long') {
        begun.open();
        await go.opened;
      }
      await updater.complete();
    });
    await using all = new Cluster(agent, { execution: { drainMs: 300 } });
    const web = await all.start({ role: 'web' });
    const other = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    const answer = web.send('long');
    await begun.opened;
    const started = performance.now();
    await web.shutDown();
    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
    const task = await answer;
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    await expect(web.send('more')).rejects.toThrow(UnavailableError);
    go.open();
    await expect.poll(async () => (await other.get(task.id)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('withdraws what no worker has taken and tells callers to try again', async () => {
    await using all = new Cluster(
      plainAgent(({ updater }) => updater.complete()),
      { execution: { drainMs: 100, startTimeoutMs: 60_000 } },
    );
    const web = await all.start({ role: 'web' });
    const answer = expect(web.send('hi')).rejects.toThrow(UnavailableError);
    const { id } = await web.send('later', { returnImmediately: true });
    await expect.poll(() => all.waiting()).toBe(3);
    await web.shutDown();
    await answer;
    // What its caller knows is left to others.
    expect(all.queue.size).toBe(1);
    const other = await all.start({ role: 'web' });
    await all.start({ role: 'worker' });
    await expect.poll(async () => (await other.get(id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(all.store.size).toBe(1);
  });
});
