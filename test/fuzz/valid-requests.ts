import type { Json } from './junk.js';

/** A request of an operation, as both bindings say it. */
export interface ValidRequest {
  readonly operation: string;
  readonly verb: 'GET' | 'POST' | 'DELETE';
  /** Below the binding's path. */
  readonly path: string;
  readonly params: { [name: string]: Json };
  /** Names in `params` that the REST path says already. */
  readonly inPath: readonly string[];
}

/** Texts of the scripted agent that end, or pause, at once. */
const TEXTS = [
  'quick',
  'message',
  'park',
  'chunks:20',
  'reject',
  'fastfinish',
  'bare-task',
  'whoami',
  'bytes:10',
];

function message(text: string, members: { [name: string]: Json } = {}): { [name: string]: Json } {
  const parts: Json[] = [{ text }, { data: { n: [1, null] } }, { raw: 'AAEC', mediaType: 'image/png' }];
  return { messageId: 'm1', role: 'ROLE_USER', parts, metadata: { a: { b: 1 } }, ...members };
}

const configuration = { historyLength: 1, acceptedOutputModes: ['text/plain'], returnImmediately: false };

function sends(operation: string, path: string): ValidRequest[] {
  const request = (params: { [name: string]: Json }): ValidRequest => ({
    operation,
    verb: 'POST',
    path,
    params,
    inPath: [],
  });
  return [
    ...TEXTS.map((text) => request({ message: message(text), configuration })),
    request({ message: message('finish', { taskId: '$parked' }), configuration, metadata: { c: true } }),
    request({ message: message('more', { taskId: '$parked', referenceTaskIds: ['$done'] }) }),
    request({ message: message('quick', { taskId: '$done' }), tenant: '' }),
  ];
}

function onTask(operation: string, verb: ValidRequest['verb'], suffix: string, params = {}): ValidRequest[] {
  return ['$done', '$parked', '$live', '$canceled', 'unknown'].map((id) => ({
    operation,
    verb,
    path: `/tasks/${id}${suffix}`,
    params: { id, ...params },
    inPath: ['id'],
  }));
}

function onConfig(operation: string, verb: ValidRequest['verb'], suffix: string, params = {}): ValidRequest {
  const path = `/tasks/$done/pushNotificationConfigs${suffix}`;
  return { operation, verb, path, params: { taskId: '$done', ...params }, inPath: ['taskId', 'id'] };
}

/** What the mutations start from. */
export const VALID: readonly ValidRequest[] = [
  ...sends('SendMessage', '/message:send'),
  ...sends('SendStreamingMessage', '/message:stream'),
  ...onTask('GetTask', 'GET', '', { historyLength: 2 }),
  ...onTask('CancelTask', 'POST', ':cancel', { metadata: { why: 'fuzz' } }),
  ...onTask('SubscribeToTask', 'POST', ':subscribe'),
  ...onTask('SubscribeToTask', 'GET', ':subscribe'),
  {
    operation: 'ListTasks',
    verb: 'GET',
    path: '/tasks',
    params: {
      contextId: 'c',
      status: 'TASK_STATE_COMPLETED',
      pageSize: 2,
      pageToken: '',
      historyLength: 0,
      statusTimestampAfter: '2025-01-01T00:00:00Z',
      includeArtifacts: true,
    },
    inPath: [],
  },
  { operation: 'GetExtendedAgentCard', verb: 'GET', path: '/extendedAgentCard', params: {}, inPath: [] },
  onConfig('CreateTaskPushNotificationConfig', 'POST', '', {
    url: 'https://example.com',
    id: 'x',
    token: 't',
  }),
  onConfig('GetTaskPushNotificationConfig', 'GET', '/x', { id: 'x' }),
  onConfig('ListTaskPushNotificationConfigs', 'GET', '', { pageSize: 3 }),
  onConfig('DeleteTaskPushNotificationConfig', 'DELETE', '/x', { id: 'x' }),
];
