import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from '@nestjs/common';
import type { A2AClientOptions, AgentAddress } from '../client-options.js';

/** Where an agent is, and how it is called. */
export type A2AClientSettings = AgentAddress & A2AClientOptions;

/** A client to register, and the name that it is injected by. */
export type A2AClientRegistration = A2AClientSettings & { readonly name: string };

/** What a class must have that is given to `registerAsync` with `useClass` or `useExisting`. */
export interface A2AClientSettingsFactory {
  createA2AClientSettings(): Promise<A2AClientSettings> | A2AClientSettings;
}

/** A client whose settings are made by a factory, a class or an existing provider. */
export interface A2AClientAsyncRegistration extends Pick<ModuleMetadata, 'imports'> {
  readonly name: string;
  readonly useFactory?: (...args: never[]) => Promise<A2AClientSettings> | A2AClientSettings;
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  readonly useClass?: Type<A2AClientSettingsFactory>;
  readonly useExisting?: InjectionToken<A2AClientSettingsFactory>;
}

/** What is said of the clients of one registration together. */
export interface A2AClientModuleExtras {
  /** Whether other modules may inject the clients without importing this one. Default false. */
  readonly isGlobal?: boolean;
}
