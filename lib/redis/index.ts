export { RedisConnections } from './redis-connections.js';
export type { A2ARedisOptions } from './redis-options.js';
export { RedisQueueManager } from './redis-queue-manager.js';
export type { A2ARedisOptionsFactory } from './redis.module-definition.js';
export { A2ARedisModule } from './redis.module.js';
