// @ts-check
// A process of its own, so that its memory is the client's: node memory-probe.js BASE call|stream|card
import { createA2AClient } from 'nest-a2a/client';

const [base = '', kind] = process.argv.slice(2);
const client = createA2AClient(base, { retry: { attempts: 1 } });
/** @type {import('nest-a2a').SendMessageRequest} */
const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } };

async function stream() {
  for await (const event of client.stream(request)) if (!event) return;
}

// What the first call loads is not what is measured.
await client.card();
const before = process.memoryUsage.rss();
let most = before;
setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
let error = 'none';
try {
  if (kind === 'stream') await stream();
  else if (kind === 'call') await client.sendMessage(request);
  else await createA2AClient({ cardUrl: `${base}/large/.well-known/card.json` }).card();
} catch (reason) {
  error = reason instanceof Error ? reason.name : String(reason);
}
process.send?.({ error, grownKib: (Math.max(most, process.memoryUsage.rss()) - before) / 1_024 });
process.exit();
