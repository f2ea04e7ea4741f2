import { userMessage, type AgentCard, type SecurityRequirement, type SecurityScheme } from 'nest-a2a';
import {
  apiKeyCredential,
  basicAuth,
  bearer,
  connectionCertificate,
  createA2AClient,
  MissingCredentialsError,
  UnusableCredentialError,
  type A2AClientOptions,
} from 'nest-a2a/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS } from '../clients.js';
import { RecordingAgent, type RecordedRequest } from './support/recording-agent.js';

const SCHEMES: Record<string, SecurityScheme> = {
  bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } },
  basic: { httpAuthSecurityScheme: { scheme: 'BASIC' } },
  key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
  query: { apiKeySecurityScheme: { location: 'query', name: 'api key' } },
  cookie: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } },
  other: { httpAuthSecurityScheme: { scheme: 'Token' } },
  mtls: { mtlsSecurityScheme: {} },
  future: { quantumSecurityScheme: {} } as unknown as SecurityScheme,
};

/** One alternative of these schemes. */
const all = (...names: string[]): SecurityRequirement => ({
  schemes: Object.fromEntries(names.map((name) => [name, {}])),
});

let agent: RecordingAgent;
beforeAll(async () => {
  agent = await RecordingAgent.start();
});
afterAll(() => agent[Symbol.asyncDispose]());
beforeEach(() => {
  agent.requests.length = 0;
});

/** What an agent with these requirements receives. */
async function received(
  securityRequirements: SecurityRequirement[] | undefined,
  credentials: A2AClientOptions['credentials'],
  options: A2AClientOptions = {},
  card: Partial<AgentCard> = {},
): Promise<RecordedRequest> {
  agent.card = { securitySchemes: SCHEMES, ...(securityRequirements && { securityRequirements }), ...card };
  const client = createA2AClient(agent.base, { ...options, ...(credentials && { credentials }) });
  try {
    await client.getTask({ id: 't1' });
  } finally {
    await client.close();
  }
  return agent.calls.at(-1)!;
}

describe.each(CLIENT_BINDINGS)('credentials over %s', (binding) => {
  const options = { bindings: [binding] };

  it('are where their scheme says', async () => {
    const credentials = {
      bearer: bearer('token-1'),
      basic: basicAuth('Åsa', 'pass: wörd'),
      key: apiKeyCredential('key 1'),
      query: apiKeyCredential('a&b=ö'),
      cookie: apiKeyCredential('c1'),
      other: bearer('token-2'),
    };
    const by = async (name: string) => received([all(name)], credentials, options);
    expect((await by('bearer')).headers.authorization).toBe('Bearer token-1');
    expect((await by('basic')).headers.authorization).toBe(
      `Basic ${Buffer.from('Åsa:pass: wörd').toString('base64')}`,
    );
    expect((await by('key')).headers['x-key']).toBe('key 1');
    expect((await by('query')).url.searchParams.getAll('api key')).toEqual(['a&b=ö']);
    expect((await by('cookie')).headers.cookie).toBe('sid=c1');
    expect((await by('other')).headers.authorization).toBe('Token token-2');
    const several = await received([all('bearer', 'key', 'cookie', 'query')], credentials, options);
    expect(several.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-key': 'key 1',
      cookie: 'sid=c1',
    });
    expect(several.headers).not.toHaveProperty('x-basic');
  });
});

describe('requirements', () => {
  it('are alternatives, of which the first is met that there are credentials for', async () => {
    const requirements = [all('bearer', 'key'), all('basic'), all('key')];
    const key = { key: apiKeyCredential('k') };
    const { headers } = await received(requirements, key);
    expect(headers).toMatchObject({ 'x-key': 'k' });
    expect(headers).not.toHaveProperty('authorization');
    const both = await received(requirements, { ...key, bearer: bearer('t') });
    expect(both.headers).toMatchObject({ 'x-key': 'k', authorization: 'Bearer t' });
    const basic = await received(requirements, { ...key, basic: basicAuth('a', 'b') });
    expect(basic.headers).toMatchObject({ authorization: `Basic ${btoa('a:b')}` });
    expect(basic.headers).not.toHaveProperty('x-key');
  });

  it('that cannot be met keep the call from being sent', async () => {
    const requirements = [all('bearer', 'key'), all('mtls'), all('nowhere'), all('future'), all('basic')];
    const failure = received(requirements, { bearer: bearer('s3cr3t-1'), basic: bearer('s3cr3t-2') });
    await expect(failure).rejects.toThrow(MissingCredentialsError);
    await expect(failure).rejects.toMatchObject({
      missing: [
        'key: there is no credential of this name',
        'mtls: tls has no certificate',
        'nowhere: the card does not say what it is',
        'future: the card does not say what it is',
        'basic: it needs a credential of the kind basic, not bearer',
      ],
    });
    expect(agent.calls).toEqual([]);
  });

  it('are met with what there is, where they admit strangers', async () => {
    const known = { bearer: bearer('t') };
    expect((await received([{}, all('bearer')], known)).headers.authorization).toBe('Bearer t');
    expect((await received([all('bearer'), {}], {})).headers).not.toHaveProperty('authorization');
    expect((await received(undefined, known)).headers.authorization).toBe('Bearer t');
    expect((await received(undefined, {})).headers).not.toHaveProperty('authorization');
  });

  it('say nothing to a client without credentials', async () => {
    expect((await received([all('bearer')], undefined)).headers).not.toHaveProperty('authorization');
  });

  it('do not find credentials by names that every object has', async () => {
    const card = { securitySchemes: JSON.parse('{"__proto__":{"mtlsSecurityScheme":{}}}') as typeof SCHEMES };
    const requirements = [{ schemes: JSON.parse('{"__proto__":{}}') as {} }, all('constructor')];
    await expect(received(requirements, {}, {}, card)).rejects.toMatchObject({
      missing: ['__proto__: tls has no certificate', 'constructor: the card does not say what it is'],
    });
  });

  it('leave client certificates to the connection', async () => {
    const { headers } = await received([all('mtls', 'key')], {
      mtls: connectionCertificate(),
      key: apiKeyCredential('k'),
    });
    expect(headers).toMatchObject({ 'x-key': 'k' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('of the skill that a message names come on top', async () => {
    const skill = { name: 's', description: 's', tags: [] };
    const scopes: (readonly string[])[] = [];
    agent.card = {
      securitySchemes: SCHEMES,
      securityRequirements: [{ schemes: { bearer: { list: ['read'] } } }],
      skills: [
        {
          ...skill,
          id: 'pay',
          securityRequirements: [{ schemes: { bearer: { list: ['pay', 'read'] }, key: {} } }],
        },
        { ...skill, id: 'open', securityRequirements: [{ schemes: {} }] },
        { ...skill, id: 'plain' },
      ],
    };
    const supplied = bearer((query) => {
      scopes.push(query.scopes);
      return 't';
    });
    const send = async (skillId: string, credentials: A2AClientOptions['credentials']) => {
      const client = createA2AClient(agent.base, { credentials: credentials! });
      const message = { ...userMessage('hi'), metadata: { skillId } };
      await client.sendMessage({ message }).finally(() => client.close());
      return agent.calls.at(-1)!.headers;
    };
    const both = { bearer: supplied, key: apiKeyCredential('k') };
    expect(await send('pay', both)).toMatchObject({ authorization: 'Bearer t', 'x-key': 'k' });
    expect(await send('plain', both)).not.toHaveProperty('x-key');
    expect(await send('unknown', both)).not.toHaveProperty('x-key');
    expect(scopes).toEqual([['read', 'pay'], ['read'], ['read']]);
    await expect(send('pay', { bearer: supplied })).rejects.toThrow(MissingCredentialsError);
    await expect(send('plain', {})).rejects.toThrow(MissingCredentialsError);
    expect(await send('open', {})).not.toHaveProperty('authorization');
    expect(await send('open', both)).toHaveProperty('authorization', 'Bearer t');
  });
});

describe('credentials', () => {
  const place = (location: string, name: string) => ({
    securitySchemes: { key: { apiKeySecurityScheme: { location, name } } },
  });
  const withKey = (card: Partial<AgentCard>, key = 'k') =>
    received([all('key')], { key: apiKeyCredential(key) }, {}, card);

  it.each([
    ['header', 'Content-Length'],
    ['header', 'Transfer-Encoding'],
    ['header', 'HOST'],
    ['header', 'A2A-Version'],
    ['header', 'Cookie'],
    ['header', 'x-key: y\r\nx-evil'],
    ['header', ''],
    ['cookie', 'a=b;c'],
    ['body', 'key'],
    ['constructor', 'key'],
  ])('are not put into the %s %j, whatever the card says', async (location, name) => {
    await expect(withKey(place(location, name))).rejects.toThrow(UnusableCredentialError);
    expect(agent.calls).toEqual([]);
  });

  it.each([
    ['header', 'k\r\nx-evil: 1'],
    ['header', 'k\n'],
    ['header', ' k'],
    ['header', 'k\u0000'],
    ['header', '🔑'],
    ['cookie', 'k; admin=1'],
    ['cookie', 'k,l'],
    ['cookie', 'k\r\nx: y'],
  ])('do not break out of the %s with %j', async (location, key) => {
    await expect(withKey(place(location, 'X-Key'), key)).rejects.toThrow(UnusableCredentialError);
    expect(agent.calls).toEqual([]);
  });

  it.each(['t\r\nx-evil: 1', 't u', 't\u0000', 'ü'])('are no tokens when they are %j', async (token) => {
    await expect(received([all('bearer')], { bearer: bearer(token) })).rejects.toThrow(
      UnusableCredentialError,
    );
    expect(agent.calls).toEqual([]);
  });

  it('do not share a place', async () => {
    const credentials = { bearer: bearer('one'), other: bearer('two') };
    await expect(received([all('bearer', 'other')], credentials)).rejects.toThrow('needs the same place');
  });

  it('leave what the application sends by itself', async () => {
    const headers = { Authorization: 'Bearer of-a-user', cookie: 'theme=dark' };
    const credentials = { bearer: bearer('t'), cookie: apiKeyCredential('c1') };
    const request = await received([all('bearer', 'cookie')], credentials, { headers });
    expect(request.headers).toMatchObject({
      authorization: 'Bearer of-a-user',
      cookie: 'theme=dark; sid=c1',
    });
  });

  it('are told to be wrong when they are given', () => {
    expect(() => createA2AClient('https://a.example', { credentials: { bearer: 'token' as never } })).toThrow(
      /credentials\.bearer is no credential: make one with/,
    );
    expect(() => bearer('')).toThrow(TypeError);
    expect(() => bearer(undefined as never)).toThrow(TypeError);
    expect(() => basicAuth('a:b', 'c')).toThrow(TypeError);
    expect(() => basicAuth('a', 'c\n')).toThrow(TypeError);
    for (const origin of ['http://a.example', 'https://a.example/path', 'a.example', 'file:///etc', ''])
      expect(() => bearer('t', { origins: [origin] }), origin).toThrow(TypeError);
  });
});
