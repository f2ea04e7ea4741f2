import { A2A_OPTIONS, IdGenerator, OwnerResolver } from 'nest-a2a';
import { beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS } from './serve.js';
import { exportsOf } from './snippets.js';

describe('the guide to testing', () => {
  let guide: any;
  beforeAll(async () => {
    guide = await exportsOf('testing');
  });

  it('drives an agent without HTTP', async () => {
    expect(await guide.countDirectly('pears')).toEqual({ state: 'TASK_STATE_COMPLETED', text: '42' });
  });

  it.each(PLATFORMS)('drives an agent over HTTP on %s', async (platform) => {
    const { task } = await guide.countOverHttp(platform, 'pears');
    expect(task.artifacts).toMatchObject([{ parts: [{ text: '5' }] }]);
  });

  it('replaces ports', async () => {
    const module = await guide.shopWithFakes();
    expect(module.get(IdGenerator).taskId()).toBe('task-1');
    expect(module.get(OwnerResolver).resolve(guide.ann)).toBe('everybody');
    expect(module.get(A2A_OPTIONS)).toMatchObject({ execution: { cancelGraceMs: 5_000 } });
    await module.close();
  });
});
