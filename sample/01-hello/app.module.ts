import { Module } from '@nestjs/common';
import { A2AModule } from 'nest-a2a';
import { HelloAgent } from './hello.agent.js';

@Module({
  imports: [A2AModule.forRoot(), A2AModule.forFeature([HelloAgent])],
  providers: [HelloAgent],
})
export class AppModule {}
