import type { Admitted, HttpRequest } from '../http/body-gate.js';
import { NO_BODY, type Body } from '../http/read-body.js';
import {
  NOTIFICATION_ID_HEADER,
  NOTIFICATION_SIGNATURE_HEADER,
  NOTIFICATION_TIMESTAMP_HEADER,
  NOTIFICATION_TOKEN_HEADER,
} from '../protocol/notification-headers.js';

/** A request to the webhook, as it came. */
export class IncomingNotification implements Admitted {
  body: Body = NO_BODY;

  constructor(readonly http: HttpRequest) {}

  get id(): string | undefined {
    return this.header(NOTIFICATION_ID_HEADER);
  }

  get token(): string | undefined {
    return this.header(NOTIFICATION_TOKEN_HEADER);
  }

  get timestamp(): string | undefined {
    return this.header(NOTIFICATION_TIMESTAMP_HEADER);
  }

  get signature(): string | undefined {
    return this.header(NOTIFICATION_SIGNATURE_HEADER);
  }

  /** What follows the name of the scheme in the Authorization header. */
  authorization(scheme: string): string | undefined {
    const [, name, credentials] = /^(\S+) +(.*\S) *$/.exec(this.header('authorization') ?? '') ?? [];
    return name?.toLowerCase() === scheme.toLowerCase() ? credentials : undefined;
  }

  /** Undefined where it is absent or empty. */
  header(name: string): string | undefined {
    return this.http.headers[name.toLowerCase()]?.toString() || undefined;
  }
}
