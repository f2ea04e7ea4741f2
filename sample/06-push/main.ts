// Two applications: in one process only so that one command starts them.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AgentModule } from './agent/agent.module.js';
import { ReceiverModule } from './receiver/receiver.module.js';
import { AGENT_PORT, RECEIVER_PORT, RECEIVER_URL } from './settings.js';

for (const [module, port] of [
  [AgentModule, AGENT_PORT],
  [ReceiverModule, RECEIVER_PORT],
] as const) {
  const app = await NestFactory.create(module, new FastifyAdapter());
  app.enableShutdownHooks();
  await app.listen(port);
}

console.log(`
Have a parcel watched:  curl -X POST ${RECEIVER_URL}/parcels/42
What came of it:        curl ${RECEIVER_URL}/parcels/42
`);
