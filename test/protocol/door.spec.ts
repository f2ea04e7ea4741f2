import { describe, expect, it } from 'vitest';
import { parse } from '../../lib/protocol/door.js';
import { InvalidParamsError } from '../../lib/protocol/errors.js';
import type { A2AModel, JsonValue } from '../../lib/protocol/model.js';

const message = (part: unknown, more: object = {}) => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [part], ...more },
});

function violationsOf(type: keyof A2AModel, json: unknown, ...rest: [root?: string, maxDepth?: number]) {
  try {
    parse(type, json, ...rest);
  } catch (error) {
    if (error instanceof InvalidParamsError) return error.violations;
    throw error;
  }
  return [];
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

const STATES =
  'TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_CANCELED, ' +
  'TASK_STATE_INPUT_REQUIRED, TASK_STATE_REJECTED, TASK_STATE_AUTH_REQUIRED';
const ONE_CONTENT = 'must have exactly one of text, raw, url, data';

describe('what the door refuses', () => {
  it.each<[string, keyof A2AModel, unknown, string, string]>([
    ['no object', 'SendMessageRequest', [], '', 'must be an object'],
    ['null', 'SendMessageRequest', null, '', 'must be an object'],
    ['undefined', 'SendMessageRequest', undefined, '', 'must be an object'],
    ['a missing message', 'SendMessageRequest', {}, 'message', 'is required'],
    ['a null message', 'SendMessageRequest', { message: null }, 'message', 'is required'],
    ['a message that is a list', 'SendMessageRequest', { message: [] }, 'message', 'must be an object'],
    [
      'an empty messageId',
      'SendMessageRequest',
      message({ text: 'x' }, { messageId: '' }),
      'message.messageId',
      'is required',
    ],
    [
      'a numeric messageId',
      'SendMessageRequest',
      message({ text: 'x' }, { messageId: 1 }),
      'message.messageId',
      'must be a string',
    ],
    [
      'no parts',
      'SendMessageRequest',
      message({}, { parts: [] }),
      'message.parts',
      'must have at least one element',
    ],
    [
      'missing parts',
      'SendMessageRequest',
      message({}, { parts: undefined }),
      'message.parts',
      'must have at least one element',
    ],
    [
      'parts that are no list',
      'SendMessageRequest',
      message({}, { parts: {} }),
      'message.parts',
      'must be an array',
    ],
    ['a null part', 'SendMessageRequest', message(null), 'message.parts[0]', 'must be an object'],
    [
      'a part without content',
      'SendMessageRequest',
      message({ filename: 'a' }),
      'message.parts[0]',
      ONE_CONTENT,
    ],
    [
      'a part of an unknown kind',
      'SendMessageRequest',
      message({ kind: 'text' }),
      'message.parts[0]',
      ONE_CONTENT,
    ],
    [
      'text and raw',
      'SendMessageRequest',
      message({ text: 'x', raw: 'YQ==' }),
      'message.parts[0]',
      ONE_CONTENT,
    ],
    [
      'text and data null',
      'SendMessageRequest',
      message({ text: 'x', data: null }),
      'message.parts[0]',
      ONE_CONTENT,
    ],
    ['a null text alone', 'SendMessageRequest', message({ text: null }), 'message.parts[0]', ONE_CONTENT],
    [
      'a numeric text',
      'SendMessageRequest',
      message({ text: 1 }),
      'message.parts[0].text',
      'must be a string',
    ],
    [
      'an unknown role',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 'user' }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'an unspecified role',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 'ROLE_UNSPECIFIED' }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'role 0',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 0 }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'role 3',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 3 }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'role 1.5',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 1.5 }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'role -1',
      'SendMessageRequest',
      message({ text: 'x' }, { role: -1 }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'an inherited name as role',
      'SendMessageRequest',
      message({ text: 'x' }, { role: 'length' }),
      'message.role',
      'must be one of ROLE_USER, ROLE_AGENT',
    ],
    [
      'a null extension',
      'SendMessageRequest',
      message({ text: 'x' }, { extensions: ['a', null] }),
      'message.extensions[1]',
      'must be a string',
    ],
    [
      'metadata that is a list',
      'SendMessageRequest',
      message({ text: 'x' }, { metadata: [] }),
      'message.metadata',
      'must be an object',
    ],
    [
      'a member given twice',
      'SendMessageRequest',
      message({ text: 'x' }, { taskId: 'a', task_id: 'a' }),
      'message.taskId',
      'is given twice, as taskId and as task_id',
    ],
    [
      'a flag as text',
      'SendMessageRequest',
      { ...message({ text: 'x' }), configuration: { returnImmediately: 'true' } },
      'configuration.returnImmediately',
      'must be true or false',
    ],
    [
      'a push config without URL',
      'SendMessageRequest',
      { ...message({ text: 'x' }), configuration: { taskPushNotificationConfig: {} } },
      'configuration.taskPushNotificationConfig.url',
      'is required',
    ],
    ['an unknown state', 'ListTasksRequest', { status: 'working' }, 'status', `must be one of ${STATES}`],
    ['state 9', 'ListTasksRequest', { status: 9 }, 'status', `must be one of ${STATES}`],
    ['an empty state', 'ListTasksRequest', { status: '' }, 'status', `must be one of ${STATES}`],
    [
      'an event without payload',
      'StreamResponse',
      {},
      '',
      'must have exactly one of task, message, statusUpdate, artifactUpdate',
    ],
    [
      'no interface',
      'AgentCard',
      card({ supportedInterfaces: [] }),
      'supportedInterfaces',
      'must have at least one element',
    ],
    ['no capabilities', 'AgentCard', card({ capabilities: undefined }), 'capabilities', 'is required'],
    [
      'a scheme in a map',
      'AgentCard',
      card({ securitySchemes: { 'a"b': { httpAuthSecurityScheme: {} } } }),
      'securitySchemes["a\\"b"].httpAuthSecurityScheme.scheme',
      'is required',
    ],
    [
      'two schemes in one',
      'AgentCard',
      card({
        securitySchemes: { a: { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      }),
      'securitySchemes["a"]',
      'must have exactly one of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme, mtlsSecurityScheme',
    ],
    ['a null in a map', 'SecurityRequirement', { schemes: { a: null } }, 'schemes["a"]', 'must be an object'],
  ])('%s', (_, type, json, field, description) => {
    expect(violationsOf(type, json)).toEqual([{ field, description }]);
  });

  it.each([
    1.5,
    'x',
    '',
    ' 5',
    '5 ',
    '0x10',
    '1.5',
    2 ** 31,
    -(2 ** 31) - 1,
    '2147483648',
    true,
    [],
    {},
    NaN,
    Infinity,
  ])('the int32 %j', (historyLength) => {
    expect(violationsOf('GetTaskRequest', { id: 't', historyLength })).toEqual([
      { field: 'historyLength', description: 'must be a whole number of 32 bits' },
    ]);
  });

  it.each(['*', 'A', 'AAAAA', 'QQ=', 'QQ===', 'Q=Q=', '=', 'QU JD', 'QUJD\n', 'QUJDRA=', 7, true, {}])(
    'the bytes %j',
    (raw) => {
      expect(violationsOf('Part', { raw })).toEqual([
        { field: 'raw', description: 'must be a base64 string' },
      ]);
    },
  );

  it.each([
    '',
    'yesterday',
    '2025-10-28',
    '2025-10-28T10:30:00',
    '2025-10-28 10:30:00Z',
    '2025-02-30T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-10-28T24:00:00Z',
    '2025-10-28T10:30:60Z',
    '2025-10-28T10:30:00.Z',
    '2025-10-28T10:30:00.1234567890Z',
    '2025-10-28T10:30:00+24:00',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    1_700_000_000,
  ])('the timestamp %j', (timestamp) => {
    expect(violationsOf('TaskStatus', { state: 'TASK_STATE_WORKING', timestamp })).toEqual([
      { field: 'timestamp', description: 'must be a timestamp such as 2025-10-28T10:30:00.000Z' },
    ]);
  });

  it.each([NaN, Infinity, -Infinity, JSON.parse('1e400')])('the number %j anywhere in data', (number) => {
    expect(violationsOf('Part', { data: { a: [number] } })).toEqual([
      { field: 'data', description: 'must not hold a number beyond the range of a double' },
    ]);
  });

  it.each([() => 1, 1n, Symbol('s'), [undefined]])('what is not JSON in data', (data) => {
    expect(violationsOf('Part', { data })).toEqual([
      { field: 'data', description: 'must hold nothing but JSON values' },
    ]);
  });

  it('everything wrong at once, under the root it is told', () => {
    const json = {
      message: { role: 'x', parts: [{ text: 'ok' }, { raw: '*' }, {}] },
      configuration: { historyLength: 'x' },
    };
    expect(violationsOf('SendMessageRequest', json, 'params').map(({ field }) => field)).toEqual([
      'params.message.messageId',
      'params.message.role',
      'params.message.parts[1].raw',
      'params.message.parts[2]',
      'params.configuration.historyLength',
    ]);
  });

  it('at most 32 things at a time', () => {
    const parts = Array.from({ length: 100_000 }, () => ({}));
    expect(violationsOf('SendMessageRequest', message({}, { parts }))).toHaveLength(32);
  });

  it('JSON nested too deeply, without exhausting the stack', () => {
    const tooDeep = (field: string) => [
      { field, description: 'must not be nested deeper than 64 levels in all' },
    ];
    expect(violationsOf('Part', { data: nested(63) })).toEqual([]);
    expect(violationsOf('Part', { data: nested(64) })).toEqual(tooDeep('data'));
    expect(violationsOf('Part', { data: nested(200_000) })).toEqual(tooDeep('data'));
    expect(violationsOf('SendMessageRequest', message({ data: nested(60) }))).toEqual([]);
    expect(violationsOf('SendMessageRequest', message({ data: nested(61) }))).toEqual(
      tooDeep('message.parts[0].data'),
    );
    expect(violationsOf('Part', { text: 'x', unknown: nested(200_000) })).toEqual([]);
    expect(violationsOf('Part', { data: nested(2) }, 'part', 2)).toHaveLength(1);
    expect(violationsOf('SendMessageRequest', message({ text: 'x' }), '', 2)).toHaveLength(1);
  });
});

describe('what the door gives back', () => {
  it('is the message in its normal form', () => {
    const json = {
      tenant: '',
      unknown: { anything: 1 },
      message: {
        message_id: 'm1',
        role: 1,
        parts: [{ text: '' }, { raw: '-_8', media_type: 'image/png' }, { url: 'u', filename: null }],
        extensions: [],
        referenceTaskIds: null,
        metadata: {},
      },
      configuration: { historyLength: 0, returnImmediately: false, acceptedOutputModes: [] },
    };
    expect(parse('SendMessageRequest', json)).toEqual({
      message: {
        messageId: 'm1',
        role: 'ROLE_USER',
        parts: [{ text: '' }, { raw: '+/8=', mediaType: 'image/png' }, { url: 'u' }],
        metadata: {},
      },
      configuration: { historyLength: 0 },
    });
  });

  it('has its members in the order of the proto file', () => {
    expect(Object.keys(parse('Part', { mediaType: 'a/b', filename: 'f', text: 'x' }))).toEqual([
      'text',
      'filename',
      'mediaType',
    ]);
  });

  it.each([0, '0', -0, '-0', '0.0'])('keeps the optional number %j', (pageSize) => {
    const request = parse('ListTasksRequest', { pageSize, historyLength: pageSize });
    expect(JSON.stringify(request)).toBe('{"pageSize":0,"historyLength":0}');
  });

  it.each<[unknown, number]>([
    [5, 5],
    ['5', 5],
    ['-7', -7],
    ['5.0', 5],
    ['1e3', 1000],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [-(2 ** 31), -(2 ** 31)],
  ])('reads %j as a number', (historyLength, expected) => {
    expect(parse('GetTaskRequest', { id: 't', historyLength }).historyLength).toBe(expected);
  });

  it('keeps what is optional in a card, leaves out other defaults', () => {
    const capabilities = {
      streaming: false,
      pushNotifications: null,
      extensions: [{ uri: '', required: false }],
    };
    expect(parse('AgentCard', card({ capabilities, iconUrl: '', securitySchemes: {} }))).toEqual({
      ...card({}),
      capabilities: { streaming: false, extensions: [{}] },
      iconUrl: '',
    });
  });

  it('fills in the lists and maps of a card and of a page that ProtoJSON leaves out when they are empty', () => {
    const { skills: _skills, defaultInputModes: _modes, ...rest } = card({});
    expect(parse('AgentCard', rest)).toMatchObject({ skills: [], defaultInputModes: [] });
    expect(parse('ListTasksResponse', { tasks: [] })).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 0,
      totalSize: 0,
    });
  });

  it('lets a card with a scheme of a later version through', () => {
    const securitySchemes = { new: { walletSecurityScheme: { x: 1 } } };
    expect(parse('AgentCard', card({ securitySchemes })).securitySchemes).toEqual({ new: {} });
  });

  it.each<[string, string]>([
    ['', ''],
    ['QQ==', 'QQ=='],
    ['QQ', 'QQ=='],
    ['QR', 'QQ=='],
    ['QUI', 'QUI='],
    ['QUJD', 'QUJD'],
    ['-_-_', '+/+/'],
    ['+_-/', '+/+/'],
  ])('turns the bytes %j into standard base64', (raw, expected) => {
    expect(parse('Part', { raw })).toEqual({ raw: expected });
  });

  it('reads bytes of many megabytes', () => {
    const raw = Buffer.alloc(12_000_001, 7).toString('base64');
    expect(parse('Part', { raw: raw.replaceAll('=', '') })).toEqual({ raw });
  });

  it.each([
    ['2025-10-28T10:30:00Z', '2025-10-28T10:30:00.000Z'],
    ['2025-10-28T10:30:00.5Z', '2025-10-28T10:30:00.500Z'],
    ['2025-10-28T10:30:00.1234Z', '2025-10-28T10:30:00.123400Z'],
    ['2025-10-28T10:30:00.123456789Z', '2025-10-28T10:30:00.123456789Z'],
    ['2025-10-28T10:30:00+02:00', '2025-10-28T08:30:00.000Z'],
    ['2025-12-31T23:30:00-01:30', '2026-01-01T01:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
  ])('turns the timestamp %s into UTC', (timestamp, expected) => {
    expect(parse('TaskStatus', { state: 2, timestamp }).timestamp).toBe(expected);
  });

  it('reads an unspecified state as none where none is needed', () => {
    expect(parse('ListTasksRequest', { status: 'TASK_STATE_UNSPECIFIED' })).toEqual({});
    expect(parse('ListTasksRequest', { status: 0 })).toEqual({});
  });

  it.each<[JsonValue]>([
    [null],
    [false],
    [0],
    [''],
    [[]],
    [{}],
    [[null, [1.5, 'x']]],
    [{ a: { b: null } }],
    [-1e-7],
  ])('keeps the data %j', (data) => {
    expect(JSON.stringify(parse('Part', { data }))).toBe(JSON.stringify({ data }));
  });

  it('has 2^53 for 2^53+1, which no double holds', () => {
    expect(parse('Part', JSON.parse('{"data":9007199254740993}'))).toEqual({ data: 9007199254740992 });
  });
});

describe('hostile names', () => {
  const hostile =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":1,"toString":2}';

  it('are data like any other in data, metadata and maps', () => {
    const text = `{"data":${hostile},"metadata":${hostile}}`;
    expect(JSON.stringify(parse('Part', JSON.parse(text)))).toBe(text);
    const map = '{"__proto__":{"list":["a"]},"constructor":{"list":["b"]}}';
    expect(JSON.stringify(parse('SecurityRequirement', JSON.parse(`{"schemes":${map}}`)))).toBe(
      `{"schemes":${map}}`,
    );
  });

  it('are ignored where the model has no such member', () => {
    const json = JSON.parse(`{"text":"x",${hostile.slice(1)}`);
    const part = parse('Part', json);
    expect(JSON.stringify(part)).toBe('{"text":"x"}');
    expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('do not stand in for members', () => {
    expect(violationsOf('Part', JSON.parse('{"__proto__":{"text":"x"}}'))).toEqual([
      { field: '', description: ONE_CONTENT },
    ]);
  });
});

function card(more: object) {
  return {
    name: 'Agent',
    description: 'Does things',
    supportedInterfaces: [{ url: 'http://a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
    ...more,
  };
}
