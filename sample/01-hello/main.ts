import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const port = process.env.PORT ?? 3000;
const app = await NestFactory.create(AppModule, new FastifyAdapter());
app.enableShutdownHooks();
await app.listen(port);

const url = `http://localhost:${port}`;
const call = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"Ada"}]}}}`;
console.log(`
The card:  ${url}/.well-known/agent-card.json
Say hello: curl ${url}/a2a/jsonrpc -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '${call}'
`);
