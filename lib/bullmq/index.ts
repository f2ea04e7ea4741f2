export { A2ABullMqModule } from './bullmq.module.js';
export type { A2ABullMqOptionsFactory } from './bullmq.module-definition.js';
export {
  A2A_RUN_QUEUE,
  type A2ABullMqExtras,
  type A2ABullMqOptions,
  type BullMqRole,
} from './bullmq-options.js';
export { BullMqTaskRunner } from './bullmq-task-runner.js';
