import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { API_KEY, issueToken } from './keys.js';

const port = process.env.PORT ?? 3000;
const app = await NestFactory.create(AppModule, new FastifyAdapter());
app.enableShutdownHooks();
await app.listen(port);

console.log(`
In another terminal:

export URL=http://localhost:${port}
export KEY=${API_KEY}
export READER=${await issueToken('ann', 'accounts:read')}
export PAYER=${await issueToken('bob', 'accounts:read transfer')}
`);
