import { MemoryPushNotificationConfigStore } from '../../lib/stores/memory-push-notification-config-store.js';
import {
  describePushNotificationConfigStore,
  WEBHOOK_SECRET,
} from '../contracts/describe-push-notification-config-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { allowPlainSecret } from '../support/secrets/leaks.js';

allowPlainSecret('store', WEBHOOK_SECRET, 'a store keeps what it is given');

describePushNotificationConfigStore('memory', () => ({ store: new MemoryPushNotificationConfigStore() }));

describePushNotificationConfigStore('memory, over a bad line', () => {
  const line = { latency: () => Math.random() * 4 };
  return { store: withFaults(new MemoryPushNotificationConfigStore(), line) };
});
