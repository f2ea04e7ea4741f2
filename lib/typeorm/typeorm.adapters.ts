import type { ValueProvider } from '@nestjs/common';
import { ADAPTER } from '../interfaces/adapters.js';
import { TypeOrmQueueManager } from './log/typeorm-queue-manager.js';
import { TypeOrmPushNotificationConfigStore } from './typeorm-push-notification-config-store.js';
import { TypeOrmTaskStore } from './typeorm-task-store.js';

/** The classes that A2AModule finds in the slots of adapters, and instantiates with what this module exports. */
export const TYPEORM_ADAPTERS: readonly ValueProvider[] = [
  { provide: ADAPTER.taskStore, useValue: TypeOrmTaskStore },
  { provide: ADAPTER.pushNotificationConfigStore, useValue: TypeOrmPushNotificationConfigStore },
  { provide: ADAPTER.storeQueueManager, useValue: TypeOrmQueueManager },
];
