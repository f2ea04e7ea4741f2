import { All, Controller, Req, Res, UseFilters, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import { httpExchange } from '../http/http-exchange.js';
import { MethodNotAllowedError, RouteNotFoundError } from '../protocol/errors.js';
import { NotificationReceiver } from './notification-receiver.js';
import { WebhookExceptionFilter } from './webhook-exception.filter.js';
import { WebhookGate } from './webhook-gate.js';

/** Makes the controller of a webhook: an ordinary one, to which guards, interceptors and the prefix of the application apply. */
export function createWebhookController(path: string, decorators: readonly ClassDecorator[]): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseFilters(WebhookExceptionFilter)
  class A2AWebhookController {
    constructor(
      readonly receiver: NotificationReceiver,
      readonly gate: WebhookGate,
    ) {}

    @All()
    async receive(@Req() request: object, @Res() response: unknown): Promise<void> {
      const incoming = this.gate.of(request);
      if (!incoming) throw new RouteNotFoundError();
      if (incoming.http.method !== 'POST')
        throw new MethodNotAllowedError(undefined, { metadata: { allow: 'POST' } });
      await this.receiver.receive(incoming, request);
      httpExchange(response).end(204);
    }
  }
  for (const decorate of decorators) decorate(A2AWebhookController);
  return A2AWebhookController;
}
