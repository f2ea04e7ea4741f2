import type { Delivery, StoredPushNotificationConfig } from '../interfaces/push-delivery.js';
import { digestOf, isKey } from './database/text.js';

export interface ConfigRow {
  readonly config_data: Buffer;
}

/** A row that is claimed, as it is read. Large integers may come as text. */
export interface DeliveryRow extends ConfigRow {
  readonly task_id: string;
  readonly config_id: string;
  readonly delivery_cursor: unknown;
  readonly delivery_pending: unknown;
  readonly delivery_failures: unknown;
  readonly delivery_token: unknown;
}

/** The columns of a DeliveryRow. */
export const DELIVERY_COLUMNS = [
  'task_id',
  'config_id',
  'config_data',
  'delivery_cursor',
  'delivery_pending',
  'delivery_failures',
  'delivery_token',
] as const satisfies readonly (keyof DeliveryRow)[];

/** Callers choose the ids of configs and where they lead; what cannot be a key is found by its digest. The config itself has it as it is. */
export function keyOf(text: string): string {
  return isKey(text) ? text : `sha256:${digestOf(text)}`;
}

export function toConfig({ config_data }: ConfigRow): StoredPushNotificationConfig {
  return JSON.parse(config_data.toString()) as StoredPushNotificationConfig;
}

/** The delivery of a row, held under its token. */
export function toDelivery(row: DeliveryRow, holder: string, token = Number(row.delivery_token)): Delivery {
  const { delivery_cursor: cursor, delivery_pending: pending, delivery_failures: failures } = row;
  return {
    config: toConfig(row),
    ...(cursor !== null && { cursor: Number(cursor) }),
    ...(pending !== null && { pending: Number(pending) }),
    failures: Number(failures),
    status: 'open',
    holder,
    token,
  };
}
