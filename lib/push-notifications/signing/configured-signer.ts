import { Inject, Injectable } from '@nestjs/common';
import { DetachedSigner } from '../../interfaces/card-signing.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../../interfaces/module-options.js';
import { NotificationSigner, type UnsignedNotification } from '../../interfaces/notification-signing.js';
import { NotificationSecrets } from './notification-secrets.js';
import { signNotification, type SigningKeys } from './sign-notification.js';

/** Signs notifications as `push.signing` says; by default not at all. */
@Injectable()
export class ConfiguredSigner extends NotificationSigner {
  readonly #keys: SigningKeys;

  /** Throws an Error where the options cannot work, which keeps the application from starting. */
  constructor(@Inject(A2A_OPTIONS) { push, signing }: ResolvedOptions, signer: DetachedSigner) {
    super();
    const { hmac = [], jws = false } = push.signing ?? {};
    if (push.signing && hmac.length === 0 && !jws)
      throw new Error('A2AModule: push.signing has no key: give it hmac or jws, or leave it out');
    if (jws && !signing) {
      throw new Error(
        'A2AModule: push.signing.jws signs with the keys of the cards, but there are none: set signing.keys',
      );
    }
    const secrets = new NotificationSecrets(hmac, 'A2AModule: push.signing.hmac');
    this.#keys = { secrets, ...(jws && { signer }) };
  }

  override sign(notification: UnsignedNotification): Promise<Readonly<Record<string, string>>> {
    return signNotification(notification, this.#keys);
  }
}
