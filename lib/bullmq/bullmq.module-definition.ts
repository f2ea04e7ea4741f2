import { ConfigurableModuleBuilder, type DynamicModule } from '@nestjs/common';
import { getQueueToken, getSharedConfigToken } from '@nestjs/bullmq';
import { ADAPTER } from '../interfaces/adapters.js';
import {
  A2A_BULLMQ_OPTIONS,
  A2A_RUN_QUEUE,
  DEFAULT_QUEUE,
  resolveBullMqOptions,
  type A2ABullMqExtras,
  type A2ABullMqOptions,
} from './bullmq-options.js';
import { BullMqTaskRunner } from './bullmq-task-runner.js';
import { createRunQueue } from './create-run-queue.js';

/** What a class must have that is given to `forRootAsync({ useClass })` or `useExisting`. */
export interface A2ABullMqOptionsFactory {
  createA2ABullMqOptions(): Promise<A2ABullMqOptions> | A2ABullMqOptions;
}

const GIVEN_OPTIONS = Symbol('A2A_BULLMQ_GIVEN_OPTIONS');

function addProviders(definition: DynamicModule, extras: A2ABullMqExtras): DynamicModule {
  const name = extras.queue ?? DEFAULT_QUEUE;
  const provided = [
    { provide: A2A_BULLMQ_OPTIONS, useFactory: resolveBullMqOptions, inject: [GIVEN_OPTIONS] },
    {
      provide: A2A_RUN_QUEUE,
      useFactory: createRunQueue.bind(undefined, name),
      inject: [A2A_BULLMQ_OPTIONS, { token: getSharedConfigToken(extras.configKey), optional: true }],
    },
    { provide: getQueueToken(name), useExisting: A2A_RUN_QUEUE },
    { provide: ADAPTER.taskRunner, useValue: BullMqTaskRunner },
  ];
  return {
    ...definition,
    global: true,
    providers: [...(definition.providers ?? []), ...provided],
    exports: provided.map(({ provide }) => provide),
  };
}

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<A2ABullMqOptions>({ optionsInjectionToken: GIVEN_OPTIONS })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createA2ABullMqOptions')
    .setExtras<A2ABullMqExtras>({}, addProviders)
    .build();
