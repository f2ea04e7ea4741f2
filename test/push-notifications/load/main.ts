import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ChaosDatabase } from '../../chaos/servers/database.js';
import { call, endAgent, startAgent, type Agent } from './agents.js';
import { faultsOf } from './check.js';
import { Receiver } from './receiver.js';

// npm run test:push-load [-- --tasks 2000 --failing 20 --chunks 3 --concurrency 32 --bound-s 900]
const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '2000' },
    failing: { type: 'string', default: '20' },
    chunks: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '32' },
    'bound-s': { type: 'string', default: '900' },
  },
});
const tasks = Number(values.tasks);
const chunks = Number(values.chunks);
const webhooks = tasks * 3;
const text = Array.from({ length: chunks }, (_, i) => `c${i}`).join('');

const began = Date.now();
const say = (line: string) =>
  console.log(`${String(Math.round((Date.now() - began) / 1_000)).padStart(4)} s  ${line}`);

const database = new ChaosDatabase(process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test');
const receiver = new Receiver(Number(values.failing) / 100);
const agents: Agent[] = [];
try {
  const hooks = await receiver.listen();
  await database.create();
  const shared = {
    STORE: 'postgres',
    QUEUE: 'redis',
    DATABASE_URL: database.url,
    REDIS_PREFIX: `nest-a2a-push-load-${process.pid}`,
    PUSH_ALLOW: '127.0.0.1',
    PUSH_BACKOFF_MS: '50',
    PUSH_LEASE_TTL_MS: '6000',
    PUSH_LEASE_RENEW_MS: '2000',
    PUSH_SWEEP_MS: '1000',
  };
  const web = await startAgent({ ...shared, PUSH_SEND: 'off' });
  const senders = [await startAgent(shared), await startAgent(shared)];
  agents.push(web, ...senders);
  say(`${tasks} tasks with 3 webhooks each, of which ${values.failing} % of the requests fail; two senders`);

  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < tasks) {
      const number = (begun += 1);
      const url = (which: number) => `${hooks}/${number}/${which}`;
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: `slow:${chunks}` }] };
      const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: url(0) } };
      const { task } = await call(web.base, 'SendMessage', { message, configuration });
      for (const which of [1, 2])
        await call(web.base, 'CreateTaskPushNotificationConfig', { taskId: task.id, url: url(which) });
    }
  };
  const sending = Promise.all(Array.from({ length: Number(values.concurrency) }, work));
  while (receiver.ended < webhooks * 0.3) await sleep(200);
  say(`killing one sender: ${receiver.ended} of ${webhooks} webhooks were told all`);
  await endAgent(senders[0]!, 'SIGKILL');
  await sending;
  say('all tasks were sent');
  const bound = began + Number(values['bound-s']) * 1_000;
  while (receiver.ended < webhooks && Date.now() < bound) await sleep(500);
  const { accepted, requests, refused, duplicates, ledgers, ended } = receiver;
  const faults = [...ledgers].flatMap(([path, ledger]) => faultsOf(path, ledger, text));
  if (ended < webhooks) faults.push(`${webhooks - ended} webhooks were not told the end`);
  say(`${ended} of ${webhooks} webhooks were told all: ${accepted} notifications in ${requests} requests`);
  say(`${refused} requests were refused; ${duplicates} notifications came twice, under the same id`);
  say(faults.length === 0 ? 'nothing is missing, and all was in order' : faults.slice(0, 20).join('\n'));
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await Promise.all(agents.map((agent) => endAgent(agent, 'SIGTERM')));
  receiver.close();
  await database.drop();
}
