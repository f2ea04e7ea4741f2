import { Injectable, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import {
  A2AWebhookModule,
  OnPushNotification,
  type A2AWebhookModuleExtras,
  type A2AWebhookModuleOptions,
  type NotificationDelivery,
  type StreamResponse,
} from 'nest-a2a';
import { headersOf, readAnswer, type Answer, type HeaderChanges } from '../support/http.js';

export const PATH = '/a2a/notifications';
export const TOKEN = 'a token that nobody else knows';

/** Keeps what arrives, and does what a test wants done. */
@Injectable()
export class Inbox {
  readonly arrived: { readonly event: StreamResponse; readonly delivery: NotificationDelivery }[] = [];
  /** Called for each; what it throws, the handler throws. */
  work: (delivery: NotificationDelivery) => unknown = () => {};

  @OnPushNotification()
  async onAny(event: StreamResponse, delivery: NotificationDelivery): Promise<void> {
    this.arrived.push({ event, delivery });
    await this.work(delivery);
  }

  /** Has the handler wait; `begun` resolves when it does. */
  pause(): { readonly begun: Promise<void>; readonly resume: () => void } {
    let resume = () => {};
    const gate = new Promise<void>((resolve) => (resume = resolve));
    const begun = new Promise<void>((resolve) => {
      this.work = () => (resolve(), gate);
    });
    return { begun, resume };
  }

  get ids(): (string | undefined)[] {
    return this.arrived.map(({ delivery }) => delivery.id);
  }
}

/** An application with a webhook and an inbox. */
export function receiver(
  options: A2AWebhookModuleOptions & A2AWebhookModuleExtras = { token: TOKEN },
  { imports = [], providers = [], ...metadata }: ModuleMetadata = {},
): DynamicModule {
  class ReceiverModule {}
  return {
    module: ReceiverModule,
    ...metadata,
    imports: [A2AWebhookModule.forRoot(options), ...imports] as DynamicModule['imports'],
    providers: [Inbox, ...providers],
  };
}

export function statusUpdate(taskId = 't1', state = 'TASK_STATE_WORKING') {
  return { statusUpdate: { taskId, contextId: 'c1', status: { state } } };
}

/** Posts a notification as the sender does, with the token and an id unless the changes say otherwise. */
export async function notify(
  base: string,
  event: unknown = statusUpdate(),
  changes: HeaderChanges = {},
  path = PATH,
  signal?: AbortSignal,
): Promise<Answer<any>> {
  const body = typeof event === 'string' || event instanceof Uint8Array ? event : JSON.stringify(event);
  const response = await fetch(base + path, {
    method: 'POST',
    headers: headersOf(
      {
        'content-type': 'application/a2a+json',
        'x-a2a-notification-id': 'n1',
        'x-a2a-notification-token': TOKEN,
      },
      changes,
    ),
    body: body as string,
    signal,
  });
  return readAnswer(response);
}

/** The reason of an answer in the shape of HTTP+JSON's errors; it must be one. */
export function reasonOf({ status, headers, body }: Answer<any>): string {
  const { error } = body;
  if (error.code !== status || !headers.get('content-type')?.startsWith('application/'))
    throw new Error(`Not the shape of an error: ${JSON.stringify(body)}`);
  return error.details[0].reason;
}
