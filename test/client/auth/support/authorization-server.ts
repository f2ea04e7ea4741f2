import { createPublicKey, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { json } from './recording-agent.js';

export interface TokenRequest {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
}

interface Device {
  readonly scope: string;
  decision: 'pending' | 'allowed' | 'denied' | 'expired';
  polls: number;
}

type Answer = (request: TokenRequest, response: ServerResponse) => void | Promise<void>;

export const CLIENT = { clientId: 'planner:1', clientSecret: 'client-secret-%&:ü' };

/** An authorization server: client credentials, device code and refresh with rotation, JWTs, keys and metadata. */
export class AuthorizationServer {
  /** Requests for tokens and device codes, in their order. */
  readonly requests: TokenRequest[] = [];
  /** How often each path was asked for. */
  readonly asked = new Map<string, number>();
  /** Answers in the place of the server, by path. */
  readonly instead = new Map<string, Answer>();
  /** Public keys of clients by their ids, for private_key_jwt. */
  readonly clientKeys = new Map<string, JWK>();
  /** Who the tokens are of; of the client itself by default. */
  subject = 'ann';
  audience = 'vault';
  /** What tokens may do, whatever was asked for. */
  granted: string | undefined;
  expiresIn: number | undefined = 300;
  /** Whether refresh tokens are issued, and to whom: at device sign-in always, unless this is false. */
  refreshTokens = true;
  /** Seconds between polls. */
  interval = 0.02;
  /** Tokens issued. */
  issued: string[] = [];
  readonly devices = new Map<string, Device>();
  readonly #refresh = new Map<string, string>();
  #key!: CryptoKey;
  #jwk!: JWK;
  #kid = randomUUID();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<AuthorizationServer> {
    const server = new AuthorizationServer();
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    server.#key = privateKey;
    server.#jwk = { ...(await exportJWK(publicKey)), kid: server.#kid, alg: 'ES256', use: 'sig' };
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get tokenRequests(): TokenRequest[] {
    return this.requests.filter(({ path }) => path === '/token');
  }

  /** The user decides about every device that waits. */
  decide(decision: Device['decision']): void {
    for (const device of this.devices.values()) device.decision = decision;
  }

  /** Refresh tokens do not do any more. */
  forgetRefreshTokens(): void {
    this.#refresh.clear();
  }

  token(scope: string, subject = this.subject): Promise<string> {
    return new SignJWT({ iss: this.issuer, aud: this.audience, sub: subject, scope, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: this.#kid })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(this.#key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parameters = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const asked = { path, parameters, headers: request.headers };
    if (request.method === 'POST') this.requests.push(asked);
    const instead = this.instead.get(path);
    if (instead) return instead(asked, response);
    if (path === '/token') return this.#tokens(asked, response);
    if (path === '/device') return this.#device(asked, response);
    const document = this.#documents()[path];
    json(response, document ? 200 : 404, document ?? {});
  }

  #documents(): Record<string, unknown> {
    const { issuer } = this;
    return {
      '/jwks': { keys: [this.#jwk] },
      '/.well-known/openid-configuration': {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        token_endpoint: `${issuer}/token`,
        device_authorization_endpoint: `${issuer}/device`,
      },
    };
  }

  async #tokens(asked: TokenRequest, response: ServerResponse): Promise<void> {
    const { parameters } = asked;
    if (!(await this.#knows(asked))) return json(response, 401, { error: 'invalid_client' });
    switch (parameters['grant_type']) {
      case 'client_credentials':
        return this.#issue(response, parameters['scope'] ?? '', false);
      case 'refresh_token': {
        const token = parameters['refresh_token'] ?? '';
        const scope = this.#refresh.get(token);
        if (scope === undefined) return json(response, 400, { error: 'invalid_grant' });
        // Used once: the next one comes with the answer.
        this.#refresh.delete(token);
        return this.#issue(response, scope, true);
      }
      case 'urn:ietf:params:oauth:grant-type:device_code':
        return this.#poll(parameters['device_code'] ?? '', response);
      default:
        return json(response, 400, { error: 'unsupported_grant_type' });
    }
  }

  async #issue(response: ServerResponse, scope: string, withRefresh: boolean): Promise<void> {
    const access_token = await this.token(this.granted ?? scope);
    this.issued.push(access_token);
    const refresh_token = withRefresh && this.refreshTokens ? `refresh-${randomUUID()}` : undefined;
    if (refresh_token) this.#refresh.set(refresh_token, scope);
    json(response, 200, { access_token, token_type: 'Bearer', expires_in: this.expiresIn, refresh_token });
  }

  #device({ parameters }: TokenRequest, response: ServerResponse): void {
    const device_code = `device-${randomUUID()}`;
    this.devices.set(device_code, { scope: parameters['scope'] ?? '', decision: 'pending', polls: 0 });
    json(response, 200, {
      device_code,
      user_code: 'WDJB-MJHT',
      verification_uri: `${this.issuer}/activate`,
      verification_uri_complete: `${this.issuer}/activate?code=WDJB-MJHT`,
      expires_in: 60,
      interval: this.interval,
    });
  }

  #poll(code: string, response: ServerResponse): Promise<void> | void {
    const device = this.devices.get(code);
    if (!device) return json(response, 400, { error: 'invalid_grant' });
    device.polls += 1;
    if (device.decision === 'pending') return json(response, 400, { error: 'authorization_pending' });
    this.devices.delete(code);
    if (device.decision === 'denied') return json(response, 400, { error: 'access_denied' });
    if (device.decision === 'expired') return json(response, 400, { error: 'expired_token' });
    return this.#issue(response, device.scope, true);
  }

  /** By basic, post or assertion; `public` is a client without a secret. */
  async #knows({ parameters, headers }: TokenRequest): Promise<boolean> {
    const { client_id: id = '', client_secret: secret, client_assertion: assertion } = parameters;
    if (assertion !== undefined) {
      const key = this.clientKeys.get(id);
      if (!key) return false;
      const options = { subject: id, issuer: id, audience: [this.issuer, `${this.issuer}/token`] };
      return jwtVerify(assertion, createPublicKey({ key: { ...key }, format: 'jwk' }), options).then(
        () => true,
        () => false,
      );
    }
    const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (basic !== undefined) {
      const pair = Buffer.from(basic, 'base64').toString().split(':');
      const [name, password] = pair.map((text) => decodeURIComponent(text.replaceAll('+', ' ')));
      return name === CLIENT.clientId && password === CLIENT.clientSecret;
    }
    if (secret !== undefined) return id === CLIENT.clientId && secret === CLIENT.clientSecret;
    return id === 'public';
  }
}
