import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ADAPTER } from '../interfaces/adapters.js';
import { RedisConnections } from './redis-connections.js';
import type { A2ARedisOptions } from './redis-options.js';
import { RedisQueueManager } from './redis-queue-manager.js';
import {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN,
  type ASYNC_OPTIONS_TYPE,
} from './redis.module-definition.js';

/**
 * Keeps the logs of tasks in Redis, where all processes of an application share them. Beside `A2AModule.forRoot()`, once, in the root module.
 *
 * @publicApi
 * @example
 * imports: [A2AModule.forRoot(), A2ARedisModule.forRoot({ url: 'redis://localhost:6379' })]
 */
@Global()
@Module({
  providers: [
    {
      provide: RedisConnections,
      useFactory: (options: A2ARedisOptions) => RedisConnections.open(options),
      inject: [MODULE_OPTIONS_TOKEN],
    },
    { provide: ADAPTER.queueManager, useValue: RedisQueueManager },
  ],
  exports: [RedisConnections, ADAPTER.queueManager],
})
export class A2ARedisModule extends ConfigurableModuleClass {
  /** Connects at boot; the application does not start when Redis cannot be reached. */
  static override forRoot(options: A2ARedisOptions): DynamicModule {
    return super.forRoot(options);
  }

  /** The same with options that are made by a factory, a class or an existing provider. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }
}
