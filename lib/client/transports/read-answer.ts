import { OPERATIONS, type OperationName } from '../../protocol/operations.js';
import { ProtocolViolationError } from '../client-errors.js';
import { isObject } from '../../protocol/is-object.js';

type Members = Readonly<Record<string, unknown>>;
type Check = (answer: Members) => string | undefined;

/**
 * What an operation answered, when it is what was asked for in its outline: members and values that nobody here knows are a later version's,
 * and stay. Lists and numbers that a peer leaves out, as ProtoJSON may, are empty and zero.
 * @throws ProtocolViolationError
 */
export function readAnswer(operation: OperationName, answer: unknown): unknown {
  const { response } = OPERATIONS[operation];
  if (response === 'Empty') return undefined;
  const flaw = isObject(answer) ? CHECKS[response](answer) : 'is no object';
  if (flaw !== undefined) throw new ProtocolViolationError(`The answer to ${operation} ${flaw}`);
  const defaults = DEFAULTS[operation];
  return defaults ? { ...defaults, ...(answer as Members) } : answer;
}

const DEFAULTS: Partial<Record<OperationName, Members>> = {
  ListTasks: { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
  ListTaskPushNotificationConfigs: { configs: [], nextPageToken: '' },
};

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isTask = (value: unknown): boolean =>
  isObject(value) && isText(value['id']) && isObject(value['status']) && isText(value['status']['state']);
const isMessage = (value: unknown): boolean =>
  isObject(value) && isText(value['role']) && Array.isArray(value['parts']);
const isStatusUpdate = (value: unknown): boolean =>
  isObject(value) && isText(value['taskId']) && isObject(value['status']) && isText(value['status']['state']);
const isArtifactUpdate = (value: unknown): boolean =>
  isObject(value) && isText(value['taskId']) && isObject(value['artifact']);

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  task: isTask,
  message: isMessage,
  statusUpdate: isStatusUpdate,
  artifactUpdate: isArtifactUpdate,
};

/** Exactly one of these members, and what it must be. */
function oneOf(...names: readonly string[]): Check {
  const list = names.join(', ');
  return (answer) => {
    let name: string | undefined;
    let count = 0;
    for (const each of names) {
      if (answer[each] === undefined) continue;
      name = each;
      count += 1;
    }
    if (name === undefined || count > 1) return `has not exactly one of ${list}`;
    return MEMBERS[name]!(answer[name]) ? undefined : `has no valid ${name}`;
  };
}

const isConfig: Check = (answer) => (isText(answer['url']) ? undefined : 'is no push notification config');
const optionalList = (value: unknown): boolean => value === undefined || Array.isArray(value);

const CHECKS = {
  SendMessageResponse: oneOf('task', 'message'),
  StreamResponse: oneOf('task', 'message', 'statusUpdate', 'artifactUpdate'),
  Task: (answer) => (isTask(answer) ? undefined : 'is no Task'),
  ListTasksResponse: ({ tasks }) => (optionalList(tasks) ? undefined : 'has no list of tasks'),
  TaskPushNotificationConfig: isConfig,
  ListTaskPushNotificationConfigsResponse: ({ configs }) =>
    optionalList(configs) ? undefined : 'has no list of configs',
  AgentCard: ({ name }) => (isText(name) ? undefined : 'is no agent card'),
} satisfies Record<string, Check>;
