import type { Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { headersOf } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, OPERATION_NAMES, Peer } from './support/peer.js';
import { artifactTexts, show } from './support/show.js';

describe.each(PLATFORMS)('D26 tenants on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter, AUTH: 'bearer' });
  });
  afterAll(() => fixture?.close());

  const rest = () => new Peer(`${fixture.base}/a2a`, 'HTTP+JSON').as('ada');

  /** Params of every operation for a task. */
  function paramsOf(operation: string, id: string): object {
    if (operation.startsWith('Send')) return M('again', { message: { taskId: id } });
    if (operation === 'CreateTaskPushNotificationConfig') return { taskId: id, url: 'https://example.com' };
    if (operation === 'ListTaskPushNotificationConfigs') return { taskId: id };
    if (operation.includes('PushNotificationConfig')) return { taskId: id, id: 'c' };
    return operation.endsWith('Task') ? { id } : {};
  }

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = () => rest().over(binding);

    it('the executor sees the tenant of params and path', async () => {
      for (const tenant of ['t1', 'Ünï cøde', 'a:b', 'tasks']) {
        const path = binding === 'HTTP+JSON' ? encodeURIComponent(tenant) : tenant;
        const { task } = await peer().ok('SendMessage', { ...M('whoami'), tenant: path });
        expect(JSON.parse(artifactTexts(task)[0]!)).toMatchObject({ tenant });
        expect((await peer().ok('GetTask', { id: task.id, tenant: path })).id).toBe(task.id);
      }
    });

    it('every operation is for the tenant: another one finds nothing', async () => {
      const { task } = (await peer().ok('SendMessage', { ...M('park'), tenant: 't1' })) as { task: Task };
      for (const operation of OPERATION_NAMES) {
        if (operation === 'ListTasks' || operation === 'GetExtendedAgentCard') continue;
        for (const tenant of ['t2', undefined]) {
          const refusal = await peer().refused(operation, { ...paramsOf(operation, task.id), tenant });
          expect(refusal.reason).toBe('TASK_NOT_FOUND');
        }
      }
      expect(await peer().ok('GetTask', { id: task.id, tenant: 't1' })).toEqual(task);
    });

    it('ListTasks knows the own tenant only, also of one user', async () => {
      const tenant = `list-${binding === 'JSONRPC' ? 'rpc' : 'rest'}`;
      const { task } = await peer().ok('SendMessage', { ...M('quick'), tenant });
      expect(await peer().ok('ListTasks', { tenant })).toMatchObject({
        tasks: [{ id: task.id }],
        totalSize: 1,
      });
      expect((await peer().ok('ListTasks', { tenant: 'empty' })).totalSize).toBe(0);
      const { tasks } = await peer().ok('ListTasks', {});
      expect(tasks.map(({ id }: Task) => id)).not.toContain(task.id);
    });

    it('streams and the extended card are reached by a tenant', async () => {
      const events = await peer().events('SendStreamingMessage', { ...M('quick'), tenant: 't1' });
      expect(show(events).at(-1)).toBe('COMPLETED');
      expect((await peer().ok('GetExtendedAgentCard', { tenant: 't1' })).skills).toHaveLength(2);
      const { task } = await peer().ok('SendMessage', {
        ...M('slow:50', { configuration: { returnImmediately: true } }),
        tenant: 't1',
      });
      const subscription = peer().events('SubscribeToTask', { id: task.id, tenant: 't1' });
      expect((await peer().ok('CancelTask', { id: task.id, tenant: 't1' })).status.state).toBe(
        'TASK_STATE_CANCELED',
      );
      expect(show(await subscription).at(-1)).toMatch(/CANCELED$/);
    });
  });

  it('both bindings mean the same tenant', async () => {
    const [rpc, http] = BINDINGS.map((binding) => rest().over(binding));
    const { task } = await rpc!.ok('SendMessage', { ...M('quick'), tenant: 'shared' });
    expect(await http!.ok('GetTask', { id: task.id, tenant: 'shared' })).toEqual(task);
    expect((await http!.refused('GetTask', { id: task.id })).reason).toBe('TASK_NOT_FOUND');
  });

  it('a tenant in the query counts as in the path', async () => {
    const { task } = await rest()
      .over('JSONRPC')
      .ok('SendMessage', { ...M('quick'), tenant: 'asked' });
    const get = (query: string) =>
      fetch(`${fixture.base}/a2a/rest/tasks/${task.id}${query}`, {
        headers: headersOf({ authorization: 'Bearer user:ada' }),
      });
    expect((await get('?tenant=asked')).status).toBe(200);
    expect((await get('')).status).toBe(404);
  });

  it('refuses a body or a query that names another tenant than the path', async () => {
    const post = (path: string, body: object) =>
      fetch(`${fixture.base}/a2a/rest${path}`, {
        method: 'POST',
        headers: headersOf({ 'content-type': 'application/json', authorization: 'Bearer user:ada' }),
        body: JSON.stringify(body),
      }).then((response) => rest().read(response));
    for (const path of ['/t1/message:send', '/t1/message:stream']) {
      const { refusal } = await post(path, { ...M('quick'), tenant: 't2' });
      expect(refusal).toMatchObject({ httpStatus: 400, reason: 'INVALID_PARAMS', fields: ['tenant'] });
    }
    const same = await post('/t1/message:send', { ...M('quick'), tenant: 't1' });
    expect(same.refusal).toBeUndefined();
    const { task } = same.result;
    const cancel = await post(`/t1/tasks/${task.id}:cancel`, { tenant: 't2' });
    expect(cancel.refusal).toMatchObject({ httpStatus: 400, fields: ['tenant'] });
    const response = await fetch(`${fixture.base}/a2a/rest/t1/tasks/${task.id}?tenant=t2`, {
      headers: headersOf({ authorization: 'Bearer user:ada' }),
    });
    expect(response.status).toBe(400);
  });
});
