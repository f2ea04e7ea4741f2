import type { ValueProvider } from '@nestjs/common';

/**
 * The classes that A2AModule finds in the slots of adapters, and instantiates with what this module exports. The log's belongs here, in
 * ADAPTER.storeQueueManager.
 */
export const TYPEORM_ADAPTERS: readonly ValueProvider[] = [];
