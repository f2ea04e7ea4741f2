import { MemoryQueueManager } from '../../../lib/events/memory-queue-manager.js';
import { MemoryPushNotificationConfigStore } from '../../../lib/stores/memory-push-notification-config-store.js';
import { MemoryTaskStore } from '../../../lib/stores/memory-task-store.js';
import { lookInto } from './leaks.js';
import { watch } from './watch.js';

const see = (values: readonly unknown[]): void => lookInto('store', values);

/** Looks at what the stores and logs in memory are given to keep. */
export function watchMemory(): void {
  watch(MemoryTaskStore.prototype, 'save', see);
  watch(MemoryPushNotificationConfigStore.prototype, 'set', see);
  for (const name of ['create', 'append', 'appendCommand', 'restore', 'claim'] as const)
    watch(MemoryQueueManager.prototype, name, see);
}
