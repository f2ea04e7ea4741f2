import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { SIGNING_SECRET } from '../settings.js';
import { ParcelAgent } from './parcel.agent.js';

@Module({
  imports: [
    A2AModule.forRoot({
      // Webhooks on this machine are refused unless they are allowed.
      urls: { allow: ['localhost'] },
      push: { signing: { hmac: [SIGNING_SECRET] } },
    }),
    A2AModule.forFeature([ParcelAgent]),
  ],
  providers: [ParcelAgent],
})
export class AgentModule {}
