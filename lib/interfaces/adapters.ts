/**
 * Where the module of an adapter leaves what it brings: a global provider whose value is an instance, or a class that A2AModule
 * instantiates among its own providers. A2AModule looks here for the ports that its options do not name.
 */
export const ADAPTER = {
  taskStore: Symbol('A2A_ADAPTER_TASK_STORE'),
  queueManager: Symbol('A2A_ADAPTER_QUEUE_MANAGER'),
  /** A log that comes along with a store; a log of its own goes before it. */
  storeQueueManager: Symbol('A2A_ADAPTER_STORE_QUEUE_MANAGER'),
  pushNotificationConfigStore: Symbol('A2A_ADAPTER_PUSH_NOTIFICATION_CONFIG_STORE'),
  taskRunner: Symbol('A2A_ADAPTER_TASK_RUNNER'),
} as const;
