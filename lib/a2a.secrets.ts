import { Inject, Injectable, type FactoryProvider } from '@nestjs/common';
import type { A2AModuleOptions } from './interfaces/module-options.js';
import { PushNotificationConfigStore } from './interfaces/push-notification-config-store.js';
import { MODULE_OPTIONS_TOKEN } from './a2a.module-options-token.js';
import { SealedPushNotificationConfigStore } from './push-notifications/sealed-push-notification-config-store.js';
import { SecretBox } from './push-notifications/secret-box.js';

/** What seals secrets at rest, where there are keys for it. */
@Injectable()
export class Secrets {
  readonly box: SecretBox | undefined;
  /** What is wrong with the options, for the report at boot. */
  readonly problem: string | undefined;

  constructor(@Inject(MODULE_OPTIONS_TOKEN) { secrets }: A2AModuleOptions) {
    try {
      if (secrets) this.box = new SecretBox(secrets);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.problem = error.message;
    }
  }
}

/** The application's store where a sealing one stands before it: a provider of its own, so that Nest starts and stops it. Otherwise null. */
const UNSEALED_STORE = Symbol('UNSEALED_STORE');

/** Puts a sealing store before the store that a provider makes, where there are keys. The first of the two is the one to use. */
export function sealing(store: FactoryProvider): readonly [FactoryProvider, FactoryProvider] {
  const { inject = [], useFactory } = store;
  return [
    {
      provide: PushNotificationConfigStore,
      inject: [Secrets, UNSEALED_STORE, ...inject],
      useFactory: ({ box }: Secrets, unsealed: PushNotificationConfigStore | null, ...rest: unknown[]) =>
        box ? unsealed && new SealedPushNotificationConfigStore(unsealed, box) : useFactory(...rest),
    },
    {
      provide: UNSEALED_STORE,
      inject: [Secrets, ...inject],
      useFactory: ({ box }: Secrets, ...rest: unknown[]) => (box ? useFactory(...rest) : null),
    },
  ];
}
