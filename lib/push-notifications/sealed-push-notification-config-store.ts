import { Logger } from '@nestjs/common';
import type {
  Delivery,
  DeliveryClaim,
  DeliveryState,
  StoredPushNotificationConfig,
} from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { UnreadableSecretError, type SecretBox } from './secret-box.js';

/**
 * Stands before any store of webhooks, which then holds `token` and `authentication.credentials` sealed. What is sealed belongs to its task, its
 * webhook, that one's URL, and its member: whoever can write rows cannot have credentials sent elsewhere.
 */
export class SealedPushNotificationConfigStore extends PushNotificationConfigStore {
  readonly #logger = new Logger('A2A');

  constructor(
    private readonly store: PushNotificationConfigStore,
    private readonly box: SecretBox,
  ) {
    super();
  }

  override get volatile(): boolean {
    return this.store.volatile;
  }

  override set(config: StoredPushNotificationConfig, after?: number): Promise<void> {
    return this.store.set(
      mapSecrets(config, (text, place) => this.box.seal(text, place)),
      after,
    );
  }

  /** Throws UnreadableSecretError. */
  override async get(taskId: string, id: string): Promise<StoredPushNotificationConfig | undefined> {
    const config = await this.store.get(taskId, id);
    return config && this.#open(config);
  }

  /** Throws UnreadableSecretError. */
  override async list(taskId: string): Promise<readonly StoredPushNotificationConfig[]> {
    return (await this.store.list(taskId)).map((config) => this.#open(config));
  }

  override delete(taskId: string, id: string): Promise<void> {
    return this.store.delete(taskId, id);
  }

  override deleteAll(...taskIds: readonly string[]): Promise<void> {
    return this.store.deleteAll(...taskIds);
  }

  /** One that cannot be read keeps none of the others from their delivery. */
  override async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    const claimed = await this.store.claim(claim);
    const readable = await Promise.all(claimed.map((delivery) => this.#readable(delivery)));
    return readable.filter((delivery) => delivery !== undefined);
  }

  override renew(holder: string, ttlMs: number): Promise<void> {
    return this.store.renew(holder, ttlMs);
  }

  override note(delivery: Delivery, state: DeliveryState): Promise<boolean> {
    const { taskId, id, url } = delivery.config;
    return this.store.note({ ...delivery, config: { taskId, id, url } }, state);
  }

  override release(holder: string): Promise<void> {
    return this.store.release(holder);
  }

  override openAmong(taskIds: readonly string[]): Promise<readonly string[]> {
    return this.store.openAmong(taskIds);
  }

  #open(config: StoredPushNotificationConfig): StoredPushNotificationConfig {
    return mapSecrets(config, (text, place) => this.box.open(text, place));
  }

  /**
   * What no key will ever open is given up. Where only the key is missing here, the delivery stays with its holder, who tells nobody: it goes on
   * when a process comes that has the key.
   */
  async #readable(delivery: Delivery): Promise<Delivery | undefined> {
    const { config, cursor, pending, failures } = delivery;
    try {
      return { ...delivery, config: this.#open(config) };
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      const webhook = `${JSON.stringify(config.id)} of task ${config.taskId}`;
      this.#logger.error(`The webhook ${webhook} cannot be told anything: ${error.message}`);
      const state: DeliveryState = {
        ...(cursor !== undefined && { cursor }),
        ...(pending !== undefined && { pending }),
        failures,
        status: 'unhealthy',
      };
      if (error.reason !== 'unknown-key') await this.note(delivery, state);
      return undefined;
    }
  }
}

type Change = (text: string, place: readonly string[]) => string;

/** The config with its secrets changed, each with the place that it belongs to. */
function mapSecrets(config: StoredPushNotificationConfig, change: Change): StoredPushNotificationConfig {
  const { taskId, id, url, token, authentication } = config;
  const credentials = authentication?.credentials;
  if (!token && !credentials) return config;
  return {
    ...config,
    ...(token && { token: change(token, [taskId, id, url, 'token']) }),
    ...(authentication &&
      credentials && {
        authentication: {
          ...authentication,
          credentials: change(credentials, [taskId, id, url, 'authentication.credentials']),
        },
      }),
  };
}
