import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Issues tokens, and publishes keys, a discovery document and an introspection endpoint. */
export class IdentityProvider {
  /** How often each path was asked for. */
  readonly asked = new Map<string, number>();
  /** What introspection says of a token; of others it says that they are not active. */
  readonly tokens = new Map<string, Record<string, unknown>>();
  /** Answers in the place of the provider, by path. */
  readonly instead = new Map<string, Answer>();
  readonly client = { clientId: 'agent:1', clientSecret: 'introspection-secret-%&' };
  /** What introspection was last asked with. */
  authorization: string | undefined;
  keys: JWK[] = [];
  #private!: CryptoKey;
  #kid = '';
  #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    await provider.rotate();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Signs with a new key from now on, and publishes that one only. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    this.#private = privateKey;
    this.#kid = randomUUID();
    this.keys = [{ ...(await exportJWK(publicKey)), kid: this.#kid, alg: 'ES256', use: 'sig' }];
  }

  token(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    return new SignJWT({ iss: this.issuer, aud: 'vault', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: this.#kid, ...header })
      .setIssuedAt()
      .setExpirationTime(claims.exp ?? '5m')
      .sign(this.#private);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.asked.set(path, (this.asked.get(path) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const instead = this.instead.get(path);
    if (instead) return instead(request, response, body);
    const answer = this.#documents(request, body)[path];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  }

  #documents(request: IncomingMessage, body: string): Record<string, unknown> {
    const { issuer } = this;
    if (request.url === '/introspect') this.authorization = request.headers.authorization;
    const introspected = this.tokens.get(new URLSearchParams(body).get('token') ?? '');
    return {
      '/jwks': { keys: this.keys },
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/jwks` },
      '/introspect': introspected ?? { active: false },
    };
  }
}
