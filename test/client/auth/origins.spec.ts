import type { AgentCard, AgentInterface, SecurityScheme } from 'nest-a2a';
import {
  apiKeyCredential,
  AuthInterceptor,
  basicAuth,
  bearer,
  createA2AClient,
  CredentialService,
  InMemoryCredentialService,
  MissingCredentialsError,
  type A2AClientOptions,
  type AgentAddress,
  type Credential,
  type Credentials,
  type OutgoingCall,
} from 'nest-a2a/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT_BINDINGS } from '../clients.js';
import { RecordingAgent } from './support/recording-agent.js';

const SCHEMES: Record<string, SecurityScheme> = {
  bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
  basic: { httpAuthSecurityScheme: { scheme: 'Basic' } },
  header: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
  query: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
  cookie: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } },
};
const NAMES = Object.keys(SCHEMES);
const SECRET = 's3cr3t-of-home';

function credentialsFor(origins?: readonly string[]): Credentials {
  const options = origins && { origins };
  return {
    bearer: bearer(SECRET, options),
    basic: basicAuth('ann', SECRET, options),
    header: apiKeyCredential(SECRET, options),
    query: apiKeyCredential(SECRET, options),
    cookie: apiKeyCredential(() => SECRET, options),
  };
}

/** Whether anything that was received has a credential in it. */
function holdsSecret({ requests }: RecordingAgent): boolean {
  const text = JSON.stringify(requests.map(({ url, headers, body }) => [url.href, headers, body]));
  return text.includes(SECRET) || text.includes(btoa(`ann:${SECRET}`)) || text.includes('authorization');
}

let home: RecordingAgent;
let stranger: RecordingAgent;
beforeAll(async () => {
  home = await RecordingAgent.start();
  stranger = await RecordingAgent.start();
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await stranger[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const agent of [home, stranger]) {
    agent.requests.length = 0;
    agent.card = {};
    agent.instead = undefined;
  }
});

describe.each(CLIENT_BINDINGS)(
  'a card of one origin that names an interface of another, over %s',
  (binding) => {
    const interfaceAt = (url: string): AgentInterface[] => [
      { url, protocolBinding: binding, protocolVersion: '1.0' },
    ];

    async function call(
      options: A2AClientOptions,
      address: string | AgentAddress = home.base,
    ): Promise<void> {
      const client = createA2AClient(address, options);
      try {
        await client.getTask({ id: 't1' });
        for await (const _ of client.subscribeToTask({ id: 't1' }));
      } finally {
        await client.close();
      }
    }

    it.each(NAMES)('gets no credential of the kind %s', async (name) => {
      home.card = {
        supportedInterfaces: interfaceAt(stranger.base),
        securitySchemes: SCHEMES,
        securityRequirements: [{ schemes: { [name]: {} } }],
      };
      const failure = call({ credentials: credentialsFor() });
      await expect(failure).rejects.toThrow(MissingCredentialsError);
      await expect(failure).rejects.toMatchObject({
        missing: [`${name}: it belongs to ${home.base}, and not to ${stranger.base}, which the card names`],
      });
      expect(stranger.requests).toEqual([]);
      expect(holdsSecret(home)).toBe(false);
    });

    it('is called without credentials where it requires none', async () => {
      home.card = { supportedInterfaces: interfaceAt(stranger.base), securitySchemes: SCHEMES };
      await call({ credentials: credentialsFor() });
      expect(stranger.calls).toHaveLength(2);
      expect(holdsSecret(stranger)).toBe(false);
    });

    it.each(NAMES)('gets a credential of the kind %s that names it', async (name) => {
      home.card = {
        supportedInterfaces: interfaceAt(stranger.base),
        securitySchemes: SCHEMES,
        securityRequirements: [{ schemes: { [name]: {} } }],
      };
      await call({ credentials: credentialsFor([stranger.base]) });
      expect(stranger.calls).toHaveLength(2);
      expect(holdsSecret(stranger)).toBe(true);
      expect(holdsSecret(home)).toBe(false);
    });

    it('gets credentials where the client trusts its origin, except those that name others', async () => {
      home.card = { supportedInterfaces: interfaceAt(stranger.base), securitySchemes: SCHEMES };
      const trustedOrigins = [stranger.base];
      await call({ credentials: credentialsFor([home.base]), trustedOrigins });
      expect(holdsSecret(stranger)).toBe(false);
      await call({ credentials: credentialsFor(), trustedOrigins });
      expect(holdsSecret(stranger)).toBe(true);
    });

    it('keeps a credential from its own origin that names another', async () => {
      home.card = { supportedInterfaces: interfaceAt(home.base), securitySchemes: SCHEMES };
      await call({ credentials: credentialsFor([stranger.base]) });
      expect(holdsSecret(home)).toBe(false);
    });

    it('is not trusted for the same host with another name or port', async () => {
      home.card = {
        supportedInterfaces: interfaceAt(home.base.replace('127.0.0.1', 'localhost')),
        securitySchemes: SCHEMES,
      };
      await call({ credentials: credentialsFor() });
      expect(home.calls).toHaveLength(2);
      expect(holdsSecret(home)).toBe(false);
    });

    it('gets nothing from a service of the application that does not name it', async () => {
      class Careless extends CredentialService {
        override credentialsFor(): Credential {
          return bearer(SECRET);
        }
      }
      home.card = { supportedInterfaces: interfaceAt(stranger.base), securitySchemes: SCHEMES };
      await call({ credentials: new Careless() });
      expect(holdsSecret(stranger)).toBe(false);
      home.card = { ...home.card, supportedInterfaces: interfaceAt(home.base) };
      await call({ credentials: new Careless() });
      expect(holdsSecret(home)).toBe(true);
    });

    it('needs credentials that name their origins when it was given as an object', async () => {
      const card: AgentCard = {
        name: 'Given',
        description: 'Given',
        version: '1',
        supportedInterfaces: interfaceAt(stranger.base),
        securitySchemes: SCHEMES,
        securityRequirements: [{ schemes: { bearer: {} } }],
        capabilities: {},
        defaultInputModes: [],
        defaultOutputModes: [],
        skills: [],
      };
      await expect(call({ credentials: credentialsFor() }, { card })).rejects.toThrow(
        `name its origins, as the client was made without a URL: origins: ["${stranger.base}"]`,
      );
      expect(stranger.requests).toEqual([]);
      await call({ credentials: credentialsFor([stranger.base]) }, { card });
      expect(holdsSecret(stranger)).toBe(true);
    });

    it.each([301, 302, 303, 307, 308])('gets nothing by a redirect with %i', async (status) => {
      home.card = { supportedInterfaces: interfaceAt(home.base), securitySchemes: SCHEMES };
      home.instead = ({ url }, response) => {
        response.writeHead(status, { location: stranger.base + url.pathname });
        response.end();
      };
      await expect(call({ credentials: credentialsFor() })).rejects.toThrow(/redirects are not followed/);
      expect(home.calls).toHaveLength(1);
      expect(holdsSecret(home)).toBe(true);
      expect(stranger.requests).toEqual([]);
    });
  },
);

describe('what is not encrypted', () => {
  const callTo = (url: string): OutgoingCall =>
    ({
      operation: 'ListTasks',
      card: { securitySchemes: SCHEMES, securityRequirements: [{ schemes: { bearer: {} } }], skills: [] },
      agentInterface: { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      request: {},
      headers: {},
      query: {},
      attempt: 1,
    }) as unknown as OutgoingCall;
  const sent = async (url: string) => {
    const credentials = new InMemoryCredentialService({ bearer: bearer(SECRET) });
    const call = callTo(url);
    await new AuthInterceptor({ credentials, agentUrl: url }).before(call);
    return call.headers['authorization'];
  };

  it.each(['https://a.example/x', 'http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:3000'])(
    'is everything but %s',
    async (url) => {
      expect(await sent(url)).toBe(`Bearer ${SECRET}`);
    },
  );

  it.each([
    'http://a.example/x',
    'http://billing:3000',
    'http://10.0.0.5',
    'http://localhost.a.example',
    'http://127.0.0.1.a.example',
  ])('gets no credentials: %s', async (url) => {
    await expect(sent(url)).rejects.toThrow(/without encryption/);
  });

  it.each(['file:///etc/passwd', 'ftp://a.example', 'a.example', ''])('is no origin: %j', async (url) => {
    await expect(sent(url)).rejects.toThrow(MissingCredentialsError);
  });
});
