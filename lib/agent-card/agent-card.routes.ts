import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { cardAnswer, preflightAnswer, type CardPolicy, type HttpAnswer } from './card-answer.js';
import { cardPaths, type CardPlace } from './card-paths.js';
import type { CardVersions } from './card-versions.js';
import { requestBaseUrl, type ReachedAt } from './request-base-url.js';

/** A card and where it is served. */
export interface ServedCard extends CardPlace {
  readonly versions: CardVersions;
}

/**
 * Serves the public cards. These are routes of the platform, not of Nest: a card is public, so the host's guards,
 * interceptors and global prefix do not touch it.
 */
@Injectable()
export class AgentCardRoutes {
  readonly #policy: CardPolicy;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {
    this.#policy = {
      maxAge: options.cardMaxAge,
      lastModified: new Date(Math.floor(Date.now() / 1_000) * 1_000),
      cors: options.cors,
      varyOn: varyOn(options),
    };
  }

  /** Adds the routes. Must happen before the application listens; does nothing in an application without HTTP. */
  register(cards: readonly ServedCard[]): void {
    // Typed as always there, but an application context has none.
    const adapter = this.host.httpAdapter as AbstractHttpAdapter | undefined;
    if (!adapter) return;
    for (const [path, { versions }] of cardPaths(cards)) {
      adapter.get(path, (request: unknown, response: unknown) => {
        const { headers, socket } = incoming(request);
        const published = versions.at(this.#baseUrl({ headers, socket }));
        return send(adapter, response, cardAnswer(published, headers, this.#policy));
      });
      if (!this.options.cors) continue;
      adapter.options(path, (request: unknown, response: unknown) =>
        send(adapter, response, preflightAnswer(incoming(request).headers, this.#policy)),
      );
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

/** The body goes out as bytes: both platforms would add a charset to a text. */
function send(adapter: AbstractHttpAdapter, response: unknown, answer: HttpAnswer): unknown {
  for (const [name, value] of Object.entries(answer.headers)) adapter.setHeader(response, name, value);
  return adapter.reply(response, answer.body, answer.status) as unknown;
}
