import type { Task } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { headersOf } from '../support/http.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, OPERATION_NAMES, Peer } from './support/peer.js';

const URL_OF_NOBODY = 'https://example.com/hook';

describe.each(PLATFORMS)('versions on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter });
  });
  afterAll(() => fixture?.close());

  describe.each(BINDINGS)('over %s', (binding) => {
    let peer: Peer;
    let parked: Task;

    beforeAll(async () => {
      peer = new Peer(`${fixture.base}/a2a`, binding);
      parked = await peer.send('park');
    });

    /** Good parameters of every operation, so that nothing but the version is wrong. */
    const paramsOf = (operation: string, id: string): object => {
      if (operation.startsWith('Send')) return M('finish', { message: { taskId: id } });
      if (operation === 'CreateTaskPushNotificationConfig') return { taskId: id, url: URL_OF_NOBODY };
      if (operation === 'ListTaskPushNotificationConfigs') return { taskId: id };
      if (operation.includes('PushNotificationConfig')) return { taskId: id, id: 'c' };
      return operation.endsWith('Task') ? { id } : {};
    };

    it.each(OPERATION_NAMES)(
      'D01 %s refuses version 99.0, and none at all, with no effect',
      async (operation) => {
        const before = await peer.ok('ListTasks', { includeArtifacts: true });
        for (const version of ['99.0', undefined]) {
          const other = peer.with({ 'a2a-version': version });
          const refusal = await other.refused(operation, paramsOf(operation, parked.id));
          expect(refusal).toMatchObject({ reason: 'VERSION_NOT_SUPPORTED', domain: 'a2a-protocol.org' });
          expect(refusal.metadata['supportedVersions']).toContain('1.0');
          if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code: -32009 });
          else expect(refusal).toMatchObject({ httpStatus: 400, code: 400, status: 'UNIMPLEMENTED' });
        }
        expect(await peer.ok('ListTasks', { includeArtifacts: true })).toEqual(before);
      },
    );

    it.each(['1.0', '1.0.0', '1.0.3', '1.0.99', ' 1.0 '])('D03 serves %j as 1.0', async (version) => {
      expect((await peer.with({ 'a2a-version': version }).get(parked.id)).id).toBe(parked.id);
    });

    it.each([
      '1',
      'v1.0',
      '1.0, 0.3',
      '1.0,1.0',
      '0.3',
      '1.1',
      '2.0',
      '01.0',
      '1.0.0.0',
      '1.0-rc1',
      '-1.0',
      '1e0',
      'junk',
      '{}',
    ])('D03 refuses %j with VERSION_NOT_SUPPORTED', async (version) => {
      const refusal = await peer.with({ 'a2a-version': version }).refused('GetTask', { id: parked.id });
      expect(refusal.reason).toBe('VERSION_NOT_SUPPORTED');
    });
  });

  it('D03 takes the version from the query when there is no header', async () => {
    const { id } = await new Peer(`${fixture.base}/a2a`, 'JSONRPC').send('quick');
    const get = (query: string, version?: string) =>
      fetch(`${fixture.base}/a2a/rest/tasks/${id}${query}`, {
        headers: headersOf({ 'a2a-version': version }),
      });
    expect((await get('?A2A-Version=1.0')).status).toBe(200);
    expect((await get('?A2A-Version=1.0.7&historyLength=0')).status).toBe(200);
    expect((await get('?A2A-Version=0.3')).status).toBe(400);
    expect((await get('')).status).toBe(400);
    // The header wins.
    expect((await get('?A2A-Version=0.3', '1.0')).status).toBe(200);
    expect((await get('?A2A-Version=1.0', '0.3')).status).toBe(400);
  });

  it('D03 takes the version from the query on JSON-RPC, too', async () => {
    const response = await fetch(`${fixture.base}/a2a/jsonrpc?A2A-Version=1.0`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks' }),
    });
    expect(await response.json()).toMatchObject({ result: { pageSize: 50 } });
  });
});
