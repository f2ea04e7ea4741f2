import type { FactoryProvider, Provider } from '@nestjs/common';
import { getA2AClientToken } from '../../decorators/inject-a2a-client.decorator.js';
import type { A2AClient } from '../a2a-client.js';
import { createA2AClient } from '../create-a2a-client.js';
import type {
  A2AClientAsyncRegistration,
  A2AClientRegistration,
  A2AClientSettings,
  A2AClientSettingsFactory,
} from './client-registration.js';

/** A client whose settings are known. */
export function clientProvider({ name, ...settings }: A2AClientRegistration): FactoryProvider<A2AClient> {
  return { provide: getA2AClientToken(name), useFactory: () => createClient(name, settings) };
}

/** A client whose settings are made at boot, and the class that makes them if there is one. */
export function asyncClientProviders(registration: A2AClientAsyncRegistration): Provider[] {
  const { name, useFactory, inject = [], useClass, useExisting } = registration;
  const provide = getA2AClientToken(name);
  if (useFactory) {
    const make = useFactory as (...args: unknown[]) => Promise<A2AClientSettings> | A2AClientSettings;
    return [
      { provide, inject, useFactory: async (...args: unknown[]) => createClient(name, await make(...args)) },
    ];
  }
  const maker = useExisting ?? useClass;
  if (!maker) {
    throw new TypeError(
      `The A2A client ${JSON.stringify(name)} needs a useFactory, a useClass or a useExisting`,
    );
  }
  const client: FactoryProvider<A2AClient> = {
    provide,
    inject: [maker],
    useFactory: async (factory: A2AClientSettingsFactory) =>
      createClient(name, await factory.createA2AClientSettings()),
  };
  return useClass ? [useClass, client] : [client];
}

/** Throws where the settings cannot be, naming the client. */
function createClient(name: string, settings: A2AClientSettings): A2AClient {
  try {
    return createA2AClient(settings, settings);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`The A2A client ${JSON.stringify(name)} cannot be made: ${why}`, { cause });
  }
}
