import type { NotificationSigningOptions } from './notification-signing.js';

/** How push notifications are sent. */
export interface PushOptions {
  /** Default: they are not signed. */
  readonly signing?: NotificationSigningOptions;
}
