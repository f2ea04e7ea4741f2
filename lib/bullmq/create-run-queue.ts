import { Logger } from '@nestjs/common';
import { Queue, type QueueOptions } from 'bullmq';
import type { ResolvedBullMqOptions } from './bullmq-options.js';

const NO_CONNECTION =
  'A2ABullMqModule: it is not known where Redis is; give `url` or `connection`, or import BullModule.forRoot()';

/**
 * Opens the queue on the connection of the options, else on that of `BullModule.forRoot()`. Throws when there is none.
 * @param shared what `BullModule.forRoot()` was given.
 */
export function createRunQueue(
  name: string,
  { url, connection, prefix }: ResolvedBullMqOptions,
  shared: QueueOptions | undefined,
): Queue {
  const target = connection ?? (url === undefined ? shared?.connection : { url });
  if (!target) throw new Error(NO_CONNECTION);
  const logger = new Logger('A2A');
  const queue = new Queue(name, { ...shared, connection: target, ...(prefix !== undefined && { prefix }) });
  // It connects again by itself; what could not be added in the meantime is told to who added it.
  queue.on('error', (error) => logger.warn(`The queue ${name}: ${error.message}`));
  return queue;
}
