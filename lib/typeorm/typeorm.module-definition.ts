import { ConfigurableModuleBuilder, type DynamicModule, type Provider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Database } from './database/database.js';
import { openDatabase } from './open-database.js';
import { TYPEORM_ADAPTERS } from './typeorm.adapters.js';
import {
  A2A_TYPEORM_OPTIONS,
  resolveTypeOrmOptions,
  type A2ATypeOrmExtras,
  type A2ATypeOrmOptions,
  type ResolvedTypeOrmOptions,
} from './typeorm-options.js';

const GIVEN_OPTIONS = Symbol('A2A_TYPEORM_GIVEN_OPTIONS');

/** What a class must have that is given to `forRootAsync({ useClass })` or `useExisting`. */
export interface A2ATypeOrmOptionsFactory {
  createA2ATypeOrmOptions(): Promise<A2ATypeOrmOptions> | A2ATypeOrmOptions;
}

/** The extras are known synchronously, also in forRootAsync(): the DataSource is injected by its name. */
function addProviders(definition: DynamicModule, extras: A2ATypeOrmExtras): DynamicModule {
  const providers: readonly Provider[] = [
    {
      provide: A2A_TYPEORM_OPTIONS,
      useFactory: (options: A2ATypeOrmOptions) => resolveTypeOrmOptions(options, extras),
      inject: [GIVEN_OPTIONS],
    },
    {
      provide: Database,
      useFactory: (options: ResolvedTypeOrmOptions, host?: DataSource) => openDatabase(host, options),
      inject: [A2A_TYPEORM_OPTIONS, { token: getDataSourceToken(extras.dataSource), optional: true }],
    },
    ...TYPEORM_ADAPTERS,
  ];
  return {
    ...definition,
    global: true,
    providers: [...(definition.providers ?? []), ...providers],
    exports: [A2A_TYPEORM_OPTIONS, Database, ...TYPEORM_ADAPTERS.map(({ provide }) => provide)],
  };
}

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<A2ATypeOrmOptions>({ optionsInjectionToken: GIVEN_OPTIONS })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createA2ATypeOrmOptions')
    .setExtras<A2ATypeOrmExtras>({ tablePrefix: undefined, dataSource: undefined }, addProviders)
    .build();
