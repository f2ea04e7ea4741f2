import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { A2ARedisOptions } from './redis-options.js';

/** What a class must have that is given to `forRootAsync({ useClass })` or `useExisting`. */
export interface A2ARedisOptionsFactory {
  createA2ARedisOptions(): Promise<A2ARedisOptions> | A2ARedisOptions;
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<A2ARedisOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createA2ARedisOptions')
    .build();
