import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentExecutor, Skill } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import { M } from '../support/message.js';
import { rpc } from '../support/rpc.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

@AgentExecutor({ name: 'Test', description: 'Does what the guide says', version: '1.0.0' })
class TestAgent {
  @Skill({ id: 'do', name: 'Do', description: 'Does it', tags: ['test'] })
  async *do() {
    yield 'Done';
  }
}

describe('the guide to scaling', () => {
  let folder: string;
  let guide: any;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nest-a2a-'));
    vi.stubEnv('SQLITE_FILE', join(folder, 'tasks.sqlite'));
    guide = await exportsOf('scaling');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  it.each(PLATFORMS)('shows an application on one file, and its readiness, on %s', async (platform) => {
    const root = agentModule(
      [TestAgent],
      {},
      { imports: [guide.OneFileModule], controllers: [guide.ReadyController] },
    );
    await using one = await serve(platform, root);
    await using other = await serve(platform, root);
    const { task } = (await rpc(one.base, 'SendMessage', M('hi'))).body.result;
    const seen = (await rpc(other.base, 'GetTask', { id: task.id })).body.result;
    expect(seen.status.state).toBe('TASK_STATE_COMPLETED');
    const ready = await fetch(`${one.base}/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true }]);
  });

  it('names settings with their defaults', async () => {
    const text = await readFile(new URL('../../docs/guides/scaling.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)\.(\w+)` +\| (.*?) +\|/gm)];
    expect(rows.length).toBeGreaterThan(8);
    const defaults = resolveOptions({}) as unknown as Record<string, Record<string, unknown>>;
    for (const [, group = '', option = '', told] of rows) {
      const value = defaults[group]?.[option];
      expect([option, told]).toEqual([option, value === undefined ? 'by the store' : `\`${String(value)}\``]);
    }
  });
});
