export { A2ATypeOrmBootError } from './boot-error.js';
export { a2aMigrations } from './migrations/a2a-migrations.js';
export { TypeOrmQueueManager } from './log/typeorm-queue-manager.js';
export { TypeOrmPushNotificationConfigStore } from './typeorm-push-notification-config-store.js';
export { TypeOrmTaskStore } from './typeorm-task-store.js';
export { A2ATypeOrmModule } from './typeorm.module.js';
export type { A2ATypeOrmOptionsFactory } from './typeorm.module-definition.js';
export type { A2ATypeOrmExtras, A2ATypeOrmOptions, SqliteOptions } from './typeorm-options.js';
