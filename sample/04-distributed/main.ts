import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { readSettings } from './settings.js';

const settings = readSettings(process.env);
const app = await NestFactory.create(AppModule.register(settings), new FastifyAdapter());
app.enableShutdownHooks();
await app.listen(settings.port, '0.0.0.0');

const url = await app.getUrl();
const call = `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"10"}]}}}`;
console.log(`\nprocess ${process.pid}, ${settings.role}, ready at ${url}/ready`);
if (settings.role !== 'worker')
  console.log(
    `A report: curl -N ${url}/reports/jsonrpc -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '${call}'`,
  );
