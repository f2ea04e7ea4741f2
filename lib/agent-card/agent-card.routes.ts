import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { cardAnswer, preflightAnswer, type CardPolicy, type HttpAnswer } from './card-answer.js';
import { cardPaths, type CardPlace } from './card-paths.js';
import { CardSigning } from './card-signing.js';
import { publishJson, type CardVersions, type PublishedDocument } from './card-versions.js';
import { requestBaseUrl, type ReachedAt } from './request-base-url.js';

/** A card and where it is served. */
export interface ServedCard extends CardPlace {
  readonly versions: CardVersions;
}

/**
 * Serves the public cards, and the keys they are signed with. These are routes of the platform, not of Nest: a card is public, so the host's guards,
 * interceptors and global prefix do not touch it.
 */
@Injectable()
export class AgentCardRoutes {
  readonly #policy: CardPolicy;
  readonly #logger = new Logger('A2AModule');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly signing: CardSigning,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    this.#policy = {
      maxAge: options.cardMaxAge,
      lastModified: new Date(Math.floor(Date.now() / 1_000) * 1_000),
      cors: options.cors,
      varyOn: varyOn(options),
    };
  }

  /** Adds the routes. On Express the first route that fits answers, so call it early; does nothing without HTTP. */
  register(cards: readonly ServedCard[]): void {
    // Typed as always there, but an application context has none.
    const adapter = this.host.httpAdapter as AbstractHttpAdapter | undefined;
    if (!adapter) return;
    for (const [path, { versions }] of cardPaths(cards)) {
      this.#serve(adapter, path, ({ headers, socket }) => versions.at(this.#baseUrl({ headers, socket })));
    }
    const { signing } = this.options;
    if (!signing) return;
    const jwks = publishJson(this.signing.jwks);
    this.#serve(adapter, signing.jwksPath, () => jwks);
  }

  #serve(
    adapter: AbstractHttpAdapter,
    path: string,
    document: (request: IncomingMessage) => PublishedDocument | Promise<PublishedDocument>,
  ): void {
    adapter.get(path, (request: unknown, response: PlatformResponse) => {
      void this.#answer(incoming(request), response, document);
    });
    if (!this.options.cors) return;
    adapter.options(path, (request: unknown, response: PlatformResponse) => {
      send(response, preflightAnswer(incoming(request).headers, this.#policy));
    });
  }

  /** A card that cannot be made is a failure of ours; at boot it was made once, so this is hardly ever one. */
  async #answer(
    request: IncomingMessage,
    response: PlatformResponse,
    document: (request: IncomingMessage) => PublishedDocument | Promise<PublishedDocument>,
  ): Promise<void> {
    try {
      send(response, cardAnswer(await document(request), request.headers, this.#policy));
    } catch (error) {
      this.#logger.error('The card could not be made', error);
      send(response, { status: 500, headers: {} });
    }
  }

  #baseUrl(request: ReachedAt): string {
    return this.options.publicUrl ?? requestBaseUrl(request, this.options.trustForwardedHeaders);
  }
}

/** Node's request: Express adds to it, Fastify wraps it. */
function incoming(request: unknown): IncomingMessage {
  return (request as { raw?: IncomingMessage }).raw ?? (request as IncomingMessage);
}

function varyOn({ publicUrl, trustForwardedHeaders }: ResolvedOptions): readonly string[] {
  if (publicUrl !== undefined) return [];
  if (!trustForwardedHeaders) return ['Host'];
  return ['Host', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Prefix'];
}

/** What the responses of Express and Fastify have in common. */
interface PlatformResponse {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  /** Node's own, on Express only, where header() adds a charset to the content type. */
  setHeader?(name: string, value: string): unknown;
  send(body?: Buffer): unknown;
}

/** Not by the adapter's reply(), which makes JSON of bytes on Express; and bytes, because both add a charset to a text. */
function send(response: PlatformResponse, { status, headers, body }: HttpAnswer): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) {
    if (response.setHeader) response.setHeader(name, value);
    else response.header(name, value);
  }
  response.send(body);
}
