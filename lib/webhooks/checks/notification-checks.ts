import { Inject, Injectable } from '@nestjs/common';
import type { UrlGuard } from '../../interfaces/url-guard.js';
import { PermissionDeniedError, UnauthenticatedError, UnavailableError } from '../../protocol/errors.js';
import { NotificationSignatureError } from '../../push-notifications/signing/notification-signature-error.js';
import type { IncomingNotification } from '../incoming-notification.js';
import type { ReadNotification } from '../read-notification.js';
import {
  A2A_WEBHOOK_OPTIONS,
  A2A_WEBHOOK_URL_GUARD,
  type CredentialsCheck,
  type ResolvedWebhookOptions,
} from '../webhook-options.js';
import { SecretMatcher } from './secret-matcher.js';
import { SignatureVerifier } from './signature-verifier.js';

const REALM = 'realm="a2a"';

/** Something that notifications must bring in a header. */
interface SecretCheck {
  readonly name: string;
  readonly challenge: string;
  readonly secret: SecretMatcher;
  readonly given: (incoming: IncomingNotification) => string | undefined;
}

/** Decides whether a notification is taken: first by what can be told without its body, then by its task. */
@Injectable()
export class NotificationChecks {
  readonly #signature: SignatureVerifier | undefined;
  readonly #secrets: readonly SecretCheck[];
  readonly #challenges: readonly string[];

  constructor(
    @Inject(A2A_WEBHOOK_OPTIONS) private readonly options: ResolvedWebhookOptions,
    @Inject(A2A_WEBHOOK_URL_GUARD) guard: UrlGuard,
  ) {
    const { signature, token, credentials } = options;
    this.#signature = signature && new SignatureVerifier(signature, guard);
    this.#secrets = [
      ...(credentials ? [credentialsCheck(credentials)] : []),
      ...(token === undefined
        ? []
        : [
            {
              name: 'token',
              challenge: `A2A-Notification-Token ${REALM}`,
              secret: new SecretMatcher(token),
              given: (incoming: IncomingNotification) => incoming.token,
            },
          ]),
    ];
    this.#challenges = [
      ...this.#secrets.map(({ challenge }) => challenge),
      ...(signature ? [`A2A-Notification-Signature ${REALM}`] : []),
    ];
  }

  /** Names of what is checked, for the log. */
  get names(): readonly string[] {
    return [
      ...this.#secrets.map(({ name }) => name),
      ...(this.#signature ? ['signature'] : []),
      ...(this.options.task ? ['task'] : []),
    ];
  }

  /**
   * Looks at the headers and, where it is signed, at the bytes.
   * @returns name of the key that signed it.
   * @throws UnauthenticatedError, or UnavailableError where the keys of the sender cannot be had.
   */
  async admit(incoming: IncomingNotification): Promise<string | undefined> {
    for (const { name, secret, given } of this.#secrets)
      if (secret.excludes(given(incoming))) throw this.#refusal(name);
    try {
      return await this.#signature?.verify(incoming);
    } catch (error) {
      if (!(error instanceof NotificationSignatureError)) throw error;
      if (error.reason === 'keys-unavailable')
        throw new UnavailableError(error.message, { retryAfterSeconds: 5 });
      throw new UnauthenticatedError(error.message, { challenges: this.#challenges });
    }
  }

  /** Throws UnauthenticatedError, PermissionDeniedError, or what a function of the application throws. */
  async expect(incoming: IncomingNotification, { event, delivery }: ReadNotification): Promise<void> {
    const { taskId } = delivery;
    for (const { name, secret, given } of this.#secrets)
      if (!(await secret.accepts(given(incoming), taskId))) throw this.#refusal(name);
    const { task } = this.options;
    if (task && (taskId === undefined || (await task(taskId, event)) !== true))
      throw new PermissionDeniedError('Notifications of this task are not expected here');
  }

  #refusal(name: string): UnauthenticatedError {
    const text = `The ${name} of the notification ${name === 'token' ? 'is' : 'are'} missing or wrong`;
    return new UnauthenticatedError(text, { challenges: this.#challenges });
  }
}

function credentialsCheck(check: CredentialsCheck): SecretCheck {
  const secret = new SecretMatcher(check.expected);
  if ('scheme' in check) {
    const { scheme } = check;
    const challenge = `${scheme} ${REALM}`;
    return { name: 'credentials', challenge, secret, given: (incoming) => incoming.authorization(scheme) };
  }
  const { header } = check;
  const challenge = `ApiKey ${REALM}, in="header", name="${header}"`;
  return { name: 'credentials', challenge, secret, given: (incoming) => incoming.header(header) };
}
