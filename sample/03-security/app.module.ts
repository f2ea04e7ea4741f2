import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { AccountsAgent } from './accounts.agent.js';
import { AdviceAgent } from './advice.agent.js';
import { CARD_KEY, PUBLIC_URL } from './keys.js';
import { JwtStrategy } from './jwt.strategy.js';
import { ReportsController } from './reports.controller.js';

@Module({
  imports: [
    A2AModule.forRoot({
      // A signature covers the URLs of the card, so they have to be known.
      publicUrl: PUBLIC_URL,
      signing: { keys: [{ kid: 'sample', alg: 'ES256', privateKey: CARD_KEY }] },
    }),
    A2AModule.forFeature([
      { agent: AccountsAgent, path: 'accounts', wellKnown: true },
      { agent: AdviceAgent, path: 'advice' },
    ]),
  ],
  controllers: [ReportsController],
  providers: [AccountsAgent, AdviceAgent, JwtStrategy],
})
export class AppModule {}
