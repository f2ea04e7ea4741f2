// Three applications: in one process only so that one command starts them.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { FlightsModule } from './flights/flights.module.js';
import { HotelsModule } from './hotels/hotels.module.js';
import { PlannerModule } from './planner/planner.module.js';
import { FLIGHTS_PORT, HOTELS_PORT, PLANNER_PORT, urlOf } from './settings.js';

for (const [module, port] of [
  [PlannerModule, PLANNER_PORT],
  [FlightsModule, FLIGHTS_PORT],
  [HotelsModule, HOTELS_PORT],
] as const) {
  const app = await NestFactory.create(module, new FastifyAdapter());
  app.enableShutdownHooks();
  await app.listen(port);
}

const call = `curl ${urlOf(PLANNER_PORT)}/a2a/rest/message:send -H 'A2A-Version: 1.0' -H 'Content-Type: application/json'`;
console.log(`
Plan a trip:  ${call} -d '{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"Lisbon"}]}}'
`);
