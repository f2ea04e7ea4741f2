import { ConfigurableModuleBuilder, type DynamicModule } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { A2A_EXTRAS } from './a2a.constants.js';
import { A2AFeatureModule } from './a2a.feature-module.js';
import { MODULE_OPTIONS_TOKEN } from './a2a.module-options-token.js';
import { A2A_EXPORTS, A2A_PROVIDERS } from './a2a.providers.js';
import type { A2AModuleExtras, A2AModuleOptions } from './interfaces/module-options.js';

/** What a class must have that is given to `forRootAsync({ useClass })` or `useExisting`. */
export interface A2AOptionsFactory {
  createA2AOptions(): Promise<A2AModuleOptions> | A2AModuleOptions;
}

const DEFAULTS: Required<A2AModuleExtras> = { path: '', isGlobal: true, controllers: true };

/** The extras are known synchronously, also in forRootAsync(), so routes and scope can depend on them. */
function addProviders(definition: DynamicModule, given: A2AModuleExtras): DynamicModule {
  const extras: Required<A2AModuleExtras> = {
    path: given.path ?? DEFAULTS.path,
    isGlobal: given.isGlobal ?? DEFAULTS.isGlobal,
    controllers: given.controllers ?? DEFAULTS.controllers,
  };
  const routes = extras.path
    ? [RouterModule.register([{ path: extras.path, module: A2AFeatureModule }])]
    : [];
  return {
    ...definition,
    global: extras.isGlobal,
    imports: [...(definition.imports ?? []), ...routes],
    providers: [...(definition.providers ?? []), { provide: A2A_EXTRAS, useValue: extras }, ...A2A_PROVIDERS],
    exports: A2A_EXPORTS,
  };
}

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<A2AModuleOptions>({ optionsInjectionToken: MODULE_OPTIONS_TOKEN })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createA2AOptions')
    .setExtras<A2AModuleExtras>(DEFAULTS, addProviders)
    .build();
