import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { HotelsAgent } from './hotels.agent.js';

@Module({
  imports: [A2AModule.forRoot(), A2AModule.forFeature([HotelsAgent])],
  providers: [HotelsAgent],
})
export class HotelsModule {}
