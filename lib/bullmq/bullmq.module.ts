import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bullmq';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
} from './bullmq.module-definition.js';
import { A2A_RUN_QUEUE } from './bullmq-options.js';
import { closeInTime } from './close-in-time.js';

/**
 * Has executors run on worker processes: import it once beside `A2AModule.forRoot()`, on web processes and on workers.
 *
 * @publicApi
 * @example
 * @Module({
 *   imports: [
 *     A2AModule.forRoot(),
 *     A2ABullMqModule.forRoot({ role: 'web', url: 'redis://localhost:6379' }),
 *     A2AModule.forFeature([OrderAgent]),
 *   ],
 *   providers: [OrderAgent],
 * })
 * export class WebModule {}
 */
@Module({})
export class A2ABullMqModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(A2A_RUN_QUEUE) private readonly queue: Queue) {
    super();
  }

  /** @throws at boot, when the role is none or it is not known where Redis is. */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return super.forRoot(options);
  }

  /** The same with options that are made by a factory, a class or an existing provider; `queue` and `configKey` are given beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }

  onApplicationShutdown(): Promise<void> {
    return closeInTime(this.queue);
  }
}
