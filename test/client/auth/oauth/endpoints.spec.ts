import type { SecurityScheme } from 'nest-a2a';
import {
  clientCredentials,
  createA2AClient,
  UnusableCredentialError,
  type OAuthOptions,
} from 'nest-a2a/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthorizationServer, CLIENT } from '../support/authorization-server.js';
import { oauthScheme, startOAuthAgent } from '../support/oauth-agent.js';
import { json, type RecordingAgent } from '../support/recording-agent.js';

/** The server that the application knows, and one that only a card names. */
let server: AuthorizationServer;
let stranger: AuthorizationServer;
let agent: RecordingAgent;
beforeEach(async () => {
  server = await AuthorizationServer.start();
  stranger = await AuthorizationServer.start();
  agent = await startOAuthAgent(server);
});
afterEach(() => Promise.all([server, stranger, agent].map((one) => one[Symbol.asyncDispose]())));

/** One call to an agent whose card says this of its scheme. */
async function call(scheme: SecurityScheme, options: Partial<OAuthOptions> = {}): Promise<void> {
  agent.card = { ...agent.card, securitySchemes: { oauth: scheme } };
  const oauth = clientCredentials({ ...CLIENT, ...options });
  const client = createA2AClient(agent.base, { credentials: { oauth } });
  await client.getTask({ id: 't1' }).finally(() => client.close());
}

const flowAt = (tokenUrl: string, refreshUrl?: string): SecurityScheme => ({
  oauth2SecurityScheme: {
    flows: { clientCredentials: { tokenUrl, scopes: {}, ...(refreshUrl !== undefined && { refreshUrl }) } },
  },
});
const discoveryAt = (openIdConnectUrl: string): SecurityScheme => ({
  openIdConnectSecurityScheme: { openIdConnectUrl },
});
const metadataAt = (oauth2MetadataUrl: string): SecurityScheme => ({
  oauth2SecurityScheme: {
    oauth2MetadataUrl,
    flows: { implicit: { authorizationUrl: `${server.issuer}/authorize`, scopes: {} } },
  },
});
const WELL_KNOWN = '/.well-known/openid-configuration';

describe('a token endpoint that only the card names', () => {
  const schemes = () => [
    oauthScheme(stranger),
    oauthScheme(stranger, 'deviceCode'),
    discoveryAt(`${stranger.issuer}${WELL_KNOWN}`),
    metadataAt(`${stranger.issuer}/.well-known/oauth-authorization-server`),
  ];

  it('is not asked', async () => {
    for (const scheme of schemes()) {
      const failure = call(scheme);
      await expect(failure).rejects.toThrow(UnusableCredentialError);
      await expect(failure).rejects.toThrow(
        `tokens come from ${stranger.issuer}, which is not trusted: name its issuer, or allowOrigins`,
      );
    }
    expect(stranger.asked.size).toBe(0);
    expect(agent.calls).toEqual([]);
  });

  it('is not asked instead of the issuer that the application names', async () => {
    for (const scheme of schemes()) await call(scheme, { issuer: server.issuer });
    expect(stranger.asked.size).toBe(0);
    expect(server.tokenRequests).toHaveLength(4);
  });

  it('is not asked where the issuer has no metadata, or is down', async () => {
    server.instead.set(WELL_KNOWN, (_, response) => json(response, 404, {}));
    for (const scheme of schemes())
      await expect(call(scheme, { issuer: server.issuer })).rejects.toThrow('not trusted');
    server.instead.set(WELL_KNOWN, (_, response) => json(response, 503, {}));
    for (const scheme of schemes()) {
      await expect(call(scheme, { issuer: server.issuer })).rejects.toMatchObject({
        name: 'TokenRequestError',
        status: 503,
      });
    }
    expect(stranger.asked.size).toBe(0);
  });

  it('is asked where the application allows its origin', async () => {
    for (const scheme of [oauthScheme(server), discoveryAt(`${server.issuer}${WELL_KNOWN}`)]) {
      await call(scheme, { allowOrigins: [server.issuer] });
    }
    expect(server.tokenRequests).toHaveLength(2);
  });

  it('is asked at the origin of an issuer without metadata', async () => {
    server.instead.set(WELL_KNOWN, (_, response) => json(response, 404, {}));
    await call(oauthScheme(server), { issuer: server.issuer });
    expect(server.asked.get('/.well-known/oauth-authorization-server')).toBe(1);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it('is asked at the origin of the agent itself, unless the application names an issuer', async () => {
    agent.instead = ({ url, headers }, response) => {
      if (url.pathname === '/token')
        return json(response, 200, { access_token: 'own', token_type: 'Bearer' });
      json(response, headers.authorization === 'Bearer own' ? 404 : 401, {});
    };
    await expect(call(flowAt(`${agent.base}/token`))).rejects.toMatchObject({ status: 404 });
    expect(agent.calls.map(({ url }) => url.pathname)).toEqual(['/token', '/']);
    agent.requests.length = 0;
    server.instead.set(WELL_KNOWN, (_, response) => json(response, 404, {}));
    await expect(call(flowAt(`${agent.base}/token`), { issuer: server.issuer })).rejects.toThrow(
      'not trusted',
    );
    expect(agent.calls).toEqual([]);
  });

  it('is not asked where another part of the flow is elsewhere', async () => {
    const options = { allowOrigins: [server.issuer] };
    const tokenUrl = `${server.issuer}/token`;
    await expect(call(flowAt(tokenUrl, `${stranger.issuer}/token`), options)).rejects.toThrow('not trusted');
    const deviceCode = { tokenUrl, deviceAuthorizationUrl: `${stranger.issuer}/device`, scopes: {} };
    const scheme = { oauth2SecurityScheme: { flows: { deviceCode } } };
    await expect(call(scheme, options)).rejects.toThrow('not trusted');
    expect(server.requests).toEqual([]);
  });

  it.each([
    'http://169.254.169.254/token',
    'http://[fe80::1]/token',
    'http://[::ffff:169.254.169.254]/token',
    'http://2852039166/token',
    'https://169.254.169.254/token',
    'http://id.example/token',
    'http://10.0.0.1/token',
    'file:///etc/passwd',
    'ftp://id.example/token',
    'token',
  ])('is not asked when it is %s', async (tokenUrl) => {
    await expect(call(flowAt(tokenUrl))).rejects.toThrow('not trusted');
  });
});

describe('link-local addresses', () => {
  it.each([
    'https://169.254.169.254/token',
    'https://[fe80::1]/token',
    'https://[::ffff:169.254.169.254]/token',
    'https://0xa9fea9fe/token',
  ])('are not asked even when the application says so: %s', async (tokenUrl) => {
    await expect(call(oauthScheme(server), { tokenUrl })).rejects.toThrow('it leads to a link-local address');
  });
});

describe('metadata', () => {
  const withMetadata = (changes: Record<string, unknown>) =>
    server.instead.set(WELL_KNOWN, (_, response) =>
      json(response, 200, { issuer: server.issuer, token_endpoint: `${server.issuer}/token`, ...changes }),
    );

  it('of another issuer are refused', async () => {
    withMetadata({ issuer: stranger.issuer });
    await expect(call(oauthScheme(server), { issuer: server.issuer })).rejects.toThrow('does not match');
    const byCard = call(discoveryAt(`${server.issuer}${WELL_KNOWN}`), { allowOrigins: [server.issuer] });
    await expect(byCard).rejects.toThrow('are of another issuer');
    expect(server.requests).toEqual([]);
  });

  it('that a card names cannot lead elsewhere, those of the issuer can', async () => {
    withMetadata({ token_endpoint: `${stranger.issuer}/token` });
    const byCard = call(discoveryAt(`${server.issuer}${WELL_KNOWN}`), { allowOrigins: [server.issuer] });
    await expect(byCard).rejects.toThrow('not trusted');
    expect(stranger.requests).toEqual([]);
    await call(oauthScheme(server), { issuer: server.issuer }).catch(() => {});
    expect(stranger.tokenRequests.length).toBeGreaterThan(0);
  });

  it('of an issuer cannot lead out of encryption, or to what is no URL', async () => {
    const refusals = {
      'http://id.example/token': 'http://id.example is not asked for tokens: it has no encryption',
      'http://10.0.0.1/token': 'http://10.0.0.1 is not asked for tokens: it has no encryption',
      'https://169.254.169.254/token': 'it leads to a link-local address',
      nowhere: 'name an endpoint that is no URL of HTTP',
    };
    for (const [token_endpoint, refusal] of Object.entries(refusals)) {
      withMetadata({ token_endpoint });
      await expect(call(oauthScheme(server), { issuer: server.issuer })).rejects.toThrow(refusal);
    }
    withMetadata({ token_endpoint: undefined });
    await expect(call(oauthScheme(server), { issuer: server.issuer })).rejects.toThrow('nobody says where');
    expect(server.requests).toEqual([]);
  });

  it('are redirected to nobody', async () => {
    server.instead.set(WELL_KNOWN, (_, response) => {
      response.writeHead(302, { location: `${stranger.issuer}${WELL_KNOWN}` }).end();
    });
    await call(oauthScheme(server), { issuer: server.issuer }).catch(() => {});
    expect(stranger.asked.size).toBe(0);
  });
});
