import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { API_KEY, issueToken, PORT, PUBLIC_URL } from './keys.js';

const app = await NestFactory.create(AppModule, new FastifyAdapter());
app.enableShutdownHooks();
await app.listen(PORT);

console.log(`
In another terminal:

export URL=${PUBLIC_URL}
export KEY=${API_KEY}
export READER=${await issueToken('ann', 'accounts:read')}
export PAYER=${await issueToken('bob', 'accounts:read transfer')}
`);
