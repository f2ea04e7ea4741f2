import { Module } from '@nestjs/common';
import { A2AWebhookModule } from 'nest-a2a';
import { SIGNING_SECRET, WEBHOOK_URL } from '../settings.js';
import { ParcelsModule } from './parcels.module.js';
import { Parcels } from './parcels.service.js';

@Module({
  imports: [
    ParcelsModule,
    A2AWebhookModule.forRootAsync({
      path: 'webhooks/a2a',
      imports: [ParcelsModule],
      inject: [Parcels],
      useFactory: (parcels: Parcels) => ({
        token: { validate: (token) => parcels.knows(token) },
        signature: { url: WEBHOOK_URL, hmac: [SIGNING_SECRET] },
      }),
    }),
  ],
})
export class ReceiverModule {}
