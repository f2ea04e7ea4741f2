import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { FlightsAgent } from './flights.agent.js';

@Module({
  imports: [A2AModule.forRoot(), A2AModule.forFeature([FlightsAgent])],
  providers: [FlightsAgent],
})
export class FlightsModule {}
