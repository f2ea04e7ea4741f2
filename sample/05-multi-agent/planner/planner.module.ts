import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { A2AClientModule } from 'nest-a2a/client';
import { FLIGHTS_PORT, HOTELS_PORT, urlOf } from '../settings.js';
import { PlannerAgent } from './planner.agent.js';

@Module({
  imports: [
    A2AModule.forRoot(),
    A2AModule.forFeature([PlannerAgent]),
    A2AClientModule.register([
      { name: 'flights', url: urlOf(FLIGHTS_PORT) },
      { name: 'hotels', url: urlOf(HOTELS_PORT) },
    ]),
  ],
  providers: [PlannerAgent],
})
export class PlannerModule {}
