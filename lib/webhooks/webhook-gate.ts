import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import type { BodyGate, PlatformRequest } from '../http/body-gate.js';
import { outsidePath, routerPath } from '../http/outside-path.js';
import { readBodies } from '../http/read-bodies.js';
import { joinUrl } from '../protocol/join-url.js';
import { IncomingNotification } from './incoming-notification.js';
import {
  A2A_WEBHOOK_OPTIONS,
  A2A_WEBHOOK_ROUTE,
  type ResolvedWebhookOptions,
  type WebhookRoute,
} from './webhook-options.js';

/** Has the bodies of notifications read apart from the host, so that the bytes are those that were signed. */
@Injectable()
export class WebhookGate implements BodyGate<IncomingNotification> {
  readonly bodyLimit: number;
  readonly #incoming = new WeakMap<object, IncomingNotification>();
  #path: string | undefined;

  constructor(
    host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly modules: ModulesContainer,
    @Inject(A2A_WEBHOOK_OPTIONS) { bodyLimit }: ResolvedWebhookOptions,
    @Inject(A2A_WEBHOOK_ROUTE) private readonly route: WebhookRoute,
  ) {
    this.bodyLimit = bodyLimit;
    readBodies(host, this);
  }

  /** As the outside sees it; known when the application is set up. */
  get path(): string {
    return (this.#path ??= this.#find());
  }

  admit(request: PlatformRequest): IncomingNotification | undefined {
    const [path = ''] = request.url.split('?', 1);
    if (path !== this.path && path !== `${this.path}/`) return undefined;
    const incoming = new IncomingNotification({ method: request.method, headers: { ...request.headers } });
    this.#incoming.set(request, incoming);
    return incoming;
  }

  answerEarly(): boolean {
    return false;
  }

  /** What came with the platform's request; undefined where it is spelled otherwise than the declared path. */
  of(request: object): IncomingNotification | undefined {
    return this.#incoming.get(request);
  }

  /** RouterModule may have given our module a path of its own. */
  #find(): string {
    const { controller, path } = this.route;
    const home = [...this.modules.values()].find(({ controllers }) => controllers.has(controller));
    const bare = joinUrl('', home ? routerPath(this.modules, home.metatype) : '', path);
    return `/${outsidePath(this.config, controller, bare, '')}`;
  }
}
