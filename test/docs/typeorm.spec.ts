import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { resolveTypeOrmOptions } from '../../lib/typeorm/typeorm-options.js';
import { M } from '../support/message.js';
import { rpc } from '../support/rpc.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

describe('the guide to databases', () => {
  let folder: string;
  let guide: any;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nest-a2a-'));
    vi.stubEnv('DATABASE_FILE', join(folder, 'app.db'));
    guide = await exportsOf('typeorm');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  it.each(PLATFORMS)('shows an application whose tasks survive a restart, on %s', async (platform) => {
    let id: string;
    {
      await using served = await serve(platform, guide.AppModule);
      const { body } = await rpc(served.base, 'SendMessage', M('hi'));
      id = body.result.task.id;
    }
    await using served = await serve(platform, guide.AppModule);
    const { body } = await rpc(served.base, 'GetTask', { id });
    expect(body.result.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('names every option with its default', async () => {
    const text = await readFile(new URL('../../docs/guides/typeorm.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `([\w.]+)` +\| (.*?) +\|/gm)];
    const told = Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
    const { sqlite: _, ...options } = resolveTypeOrmOptions({}, {});
    const expected = Object.entries(options).map(([name, value]) => [name, `\`${String(value)}\``]);
    expect(told).toEqual({
      ...Object.fromEntries(expected),
      dataSource: 'the unnamed one',
      'sqlite.file': "your DataSource's",
      'sqlite.synchronous': '`normal`',
    });
  });
});
