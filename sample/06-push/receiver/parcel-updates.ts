import { Injectable, Logger } from '@nestjs/common';
import { getText, OnPushNotification, type NotificationDelivery, type StreamResponse } from 'nest-a2a';
import { Parcels } from './parcels.service.js';

/** Told by the agent. A handler that throws is called again: the agent repeats what did not arrive. */
@Injectable()
export class ParcelUpdates {
  readonly #logger = new Logger('Receiver');

  constructor(private readonly parcels: Parcels) {}

  @OnPushNotification({ kind: 'statusUpdate' })
  onStatus({ statusUpdate }: StreamResponse, delivery: NotificationDelivery) {
    const { state, message } = statusUpdate!.status;
    this.#note(delivery, message ? getText(message) : state);
  }

  @OnPushNotification({ kind: 'artifactUpdate' })
  onArtifact({ artifactUpdate }: StreamResponse, delivery: NotificationDelivery) {
    this.#note(delivery, getText(artifactUpdate!.artifact));
  }

  #note({ id, token, signedBy }: NotificationDelivery, news: string) {
    this.#logger.log(`${news} (${id}, signed by ${signedBy})`);
    this.parcels.add(token!, news);
  }
}
