import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { getA2AClientToken } from '../../decorators/inject-a2a-client.decorator.js';
import type { A2AClient } from '../a2a-client.js';
import { asyncClientProviders, clientProvider } from './client-providers.js';
import type {
  A2AClientAsyncRegistration,
  A2AClientModuleExtras,
  A2AClientRegistration,
} from './client-registration.js';

/** All clients of one registration. */
const CLIENTS = Symbol('A2A_CLIENTS');

/**
 * Registers clients that are injected by name. They connect with their first call, so the application boots without its peers, and are closed
 * when it shuts down.
 *
 * @publicApi
 * @example
 * @Module({ imports: [A2AClientModule.register([{ name: 'billing', url: 'https://billing.example.com' }])] })
 * export class OrdersModule {}
 */
@Module({})
export class A2AClientModule implements OnApplicationShutdown {
  constructor(@Inject(CLIENTS) private readonly clients: readonly Partial<A2AClient>[]) {}

  /** Throws TypeError when a name is given twice; at boot, for settings that cannot be. */
  static register(
    clients: readonly A2AClientRegistration[],
    extras: A2AClientModuleExtras = {},
  ): DynamicModule {
    return define(clients, clients.map(clientProvider), extras);
  }

  /** The same with settings that are made by a factory, a class or an existing provider. */
  static registerAsync(
    clients: readonly A2AClientAsyncRegistration[],
    extras: A2AClientModuleExtras = {},
  ): DynamicModule {
    const imports = clients.flatMap((client) => client.imports ?? []);
    return { ...define(clients, clients.flatMap(asyncClientProviders), extras), imports };
  }

  /** After the agents of the application have drained, which may still need them. What a test put in a client's place may have nothing to close. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close?.()));
  }
}

function define(
  clients: readonly { readonly name: string }[],
  providers: readonly Provider[],
  { isGlobal = false }: A2AClientModuleExtras,
): DynamicModule {
  const names = clients.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TypeError(`Two A2A clients have the name ${JSON.stringify(twice)}`);
  const tokens = names.map(getA2AClientToken);
  const all = { provide: CLIENTS, inject: tokens, useFactory: (...made: A2AClient[]) => made };
  return { module: A2AClientModule, global: isGlobal, providers: [...providers, all], exports: tokens };
}
