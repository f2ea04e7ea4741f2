import {
  A2AAudit,
  AgentExecutor,
  type AuditEvent,
  type OperationName,
  type RequestContext,
  Skill,
  type Task,
} from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {} from '../../lib/stores/memory-push-notification-config-store.js';
import { PLATFORMS, serveApp, type ServedApp } from '../conformance/support/app.js';
import {
  BINDINGS,
  OPERATION_NAMES,
  type Params,
  type Peer,
  type Refusal,
} from '../conformance/support/peer.js';
import { M } from '../support/message.js';
import {
  allSchemes,
  type Caller,
  SCHEME_NAMES,
  type SchemeName,
  type SchemeUnderTest,
  SCOPE,
} from './support/all-schemes.js';
import { FullLog } from './support/full-log.js';
import { IdentityProvider } from './support/identity-provider.js';

/** How often an executor ran. */
let runs = 0;

@Skill({ id: 'open', name: 'Open', description: 'Opens the vault', tags: ['test'] })
@AgentExecutor({
  name: 'Vault',
  description: 'Tells who opened it',
  version: '1',
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
})
class Vault {
  async execute({ updater, userInput, call }: RequestContext): Promise<void> {
    runs += 1;
    if (userInput === 'park') return updater.requiresInput();
    await updater.addArtifact(JSON.stringify(call));
    await updater.complete();
  }
}

class Audit extends A2AAudit {
  readonly events: AuditEvent[] = [];
  override record(event: AuditEvent): void {
    this.events.push(event);
  }
}

const HOOK = 'https://example.com/hook';
const PARAMS: Readonly<Record<OperationName, (taskId: string) => Params>> = {
  SendMessage: (taskId) => M('open', { message: { taskId } }) as object as Params,
  SendStreamingMessage: (taskId) => M('open', { message: { taskId } }) as object as Params,
  GetTask: (id) => ({ id }),
  ListTasks: () => ({}),
  CancelTask: (id) => ({ id }),
  SubscribeToTask: (id) => ({ id }),
  CreateTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'new', url: HOOK }),
  GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'hook' }),
  ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  DeleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: 'hook' }),
  GetExtendedAgentCard: () => ({}),
};
const WITHOUT_TASK: readonly OperationName[] = ['ListTasks', 'GetExtendedAgentCard'];

let provider: IdentityProvider;
let schemes: Readonly<Record<SchemeName, SchemeUnderTest>>;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  schemes = allSchemes(provider);
});
afterAll(() => provider.stop());

describe.each(PLATFORMS)('the guards of all schemes, on %s', (platform) => {
  let served: ServedApp;
  const audit = new Audit();
  const log = new FullLog();
  /** Every credential that was sent. */
  const sent = new Set<string>();

  beforeAll(async () => {
    served = await serveApp(platform, {
      agents: SCHEME_NAMES.map((name) => ({
        agent: Vault,
        id: name,
        path: name,
        extendedCard: (call, card) => ({ ...card, description: `For ${call.user?.id}` }),
        options: {
          securitySchemes: { [name]: schemes[name].scheme },
          securityRequirements: [{ schemes: { [name]: { list: [SCOPE] } } }],
        },
      })),
      options: {
        push: { send: false },
        transport: { forwardHeaders: ['user-agent', 'authorization', 'x-vault-key'] },
        audit,
      },
      logger: log,
    });
  });
  afterAll(() => served?.close());

  describe.each(SCHEME_NAMES)('%s', (name) => {
    describe.each(BINDINGS)('over %s', (binding) => {
      let anonymous: Peer;
      let ann: Peer;
      let theirs: Task;

      const as = async (caller: Caller) => withHeaders(await schemes[name].headers(caller));
      const withHeaders = (headers: Readonly<Record<string, string>>) => {
        for (const value of Object.values(headers)) if (value !== 'SUCCESS') sent.add(value);
        return anonymous.with(headers);
      };

      beforeAll(async () => {
        anonymous = served.peer(binding, name);
        ann = await as('ann');
        theirs = await prepare();
      });

      async function prepare(): Promise<Task> {
        const task = await ann.send('park');
        await ann.ok('CreateTaskPushNotificationConfig', { taskId: task.id, id: 'hook', url: HOOK });
        return task;
      }

      it.each(OPERATION_NAMES)('%s', async (operation) => {
        const params = PARAMS[operation](theirs.id);
        const before = [runs, await ann.get(theirs.id)];
        audit.events.length = 0;

        const unknown = await anonymous.refused(operation, params);
        expect(unknown).toMatchObject({ httpStatus: 401, reason: 'UNAUTHENTICATED' });
        expect(unknown.headers.get('www-authenticate')).toMatch(schemes[name].challenge);
        expect(unknown.headers.get('www-authenticate')).not.toContain('error=');
        expect(unknown.headers.get('content-type')).toMatch(/json/);

        for (const headers of await schemes[name].wrong()) {
          const wrong = await withHeaders(headers).refused(operation, params);
          expect(wrong).toMatchObject({ httpStatus: 401, reason: 'UNAUTHENTICATED' });
          const challenge = wrong.headers.get('www-authenticate') ?? '';
          expect(challenge).toMatch(schemes[name].challenge);
          if (challenge.startsWith('Bearer')) expect(challenge).toContain('error="invalid_token"');
          const [credential = ''] = Object.values(headers);
          expect(JSON.stringify(wrong)).not.toContain(credential);
        }

        const low = await (await as('low')).refused(operation, params);
        expect(low).toMatchObject({ httpStatus: 403, reason: 'PERMISSION_DENIED' });
        expect(low.message).toContain(SCOPE);
        expect(low.metadata).toMatchObject({ scheme: name, missingScopes: SCOPE });
        if (low.headers.get('www-authenticate')?.startsWith('Bearer')) {
          expect(low.headers.get('www-authenticate')).toContain(
            `error="insufficient_scope", scope="${SCOPE}"`,
          );
        }

        expect(audit.events.every((event) => event.operation === operation && event.agent === name)).toBe(
          true,
        );
        expect(audit.events[0]).toMatchObject({ kind: 'unauthenticated', reason: 'missing', scheme: name });
        expect(audit.events.at(-1)).toEqual({
          kind: 'denied',
          reason: 'missing-scope',
          agent: name,
          binding,
          operation,
          scheme: name,
          missingScopes: [SCOPE],
          user: 'low',
        });

        const bob = await as('bob');
        if (WITHOUT_TASK.includes(operation)) {
          const result = await bob.ok(operation, params);
          if (operation === 'ListTasks') expect(result.tasks).toEqual([]);
          else expect(result.description).toBe('For bob');
        } else {
          const refusal = await bob.refused(operation, params);
          const made = await bob.refused(operation, PARAMS[operation]('none'));
          expect(refusal.reason).toBe('TASK_NOT_FOUND');
          const shape = ({ httpStatus, code, status, reason, domain }: Refusal) => [
            httpStatus,
            code,
            status,
            reason,
            domain,
          ];
          expect(shape(refusal)).toEqual(shape(made));
        }
        expect([runs, await ann.get(theirs.id)]).toEqual(before);

        await succeed(ann, operation, PARAMS[operation]((await prepare()).id));
      });

      it('the public card needs nothing', async () => {
        const card = await fetch(`${anonymous.url}/.well-known/agent-card.json`);
        expect(card.status).toBe(200);
        expect(((await card.json()) as any).securityRequirements).toEqual([
          { schemes: { [name]: { list: [SCOPE] } } },
        ]);
      });

      it('the executor sees who calls, and no credentials', async () => {
        const task = await ann.send('who');
        const text = task.artifacts?.[0]?.parts[0]?.text ?? '';
        expect(JSON.parse(text).user).toMatchObject({ id: 'ann', scopes: [SCOPE] });
        if (name === 'bearer')
          expect(JSON.parse(text).user.claims).toMatchObject({ iss: 'tests', aud: 'vault' });
        expect(JSON.parse(text).headers).toHaveProperty('user-agent');
        for (const credential of sent) expect(text).not.toContain(credential);
      });

      it('the extended card is for one caller only', async () => {
        const { headers } = await ann.call('GetExtendedAgentCard');
        expect(headers.get('cache-control')).toBe('private');
        expect(headers.get('vary')).toMatch(/authorization/i);
        if (name === 'key') expect(headers.get('vary')).toMatch(/x-vault-key/i);
      });
    });
  });

  it('no credential came into the log', () => {
    expect(sent.size).toBeGreaterThan(20);
    for (const credential of sent) expect(log.text).not.toContain(credential);
    expect(log.text).not.toContain('key-of-');
    expect(log.text).not.toContain('pass:');
  });
});

async function succeed(peer: Peer, operation: OperationName, params: Params): Promise<void> {
  const streaming = operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
  if (!streaming) return void (await peer.ok(operation, params));
  const end = new AbortController();
  const response = await peer.request(operation, params, end.signal);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  end.abort();
}
