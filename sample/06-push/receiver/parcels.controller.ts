import { Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import { AGENT_URL, WEBHOOK_URL } from '../settings.js';
import { Parcels } from './parcels.service.js';

@Controller('parcels')
export class ParcelsController {
  constructor(private readonly parcels: Parcels) {}

  /** Has the agent watch a parcel, and does not wait: news come to the webhook. */
  @Post(':parcel')
  async watch(@Param('parcel') parcel: string) {
    const response = await fetch(`${AGENT_URL}/a2a/rest/message:send`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/a2a+json' },
      body: JSON.stringify({
        message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: parcel }] },
        configuration: {
          returnImmediately: true,
          taskPushNotificationConfig: { url: WEBHOOK_URL, token: this.parcels.begin(parcel) },
        },
      }),
    });
    return response.json();
  }

  @Get(':parcel')
  news(@Param('parcel') parcel: string) {
    const news = this.parcels.newsOf(parcel);
    if (!news) throw new NotFoundException();
    return news;
  }
}
