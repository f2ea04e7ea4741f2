// @ts-check
// A process that drives one client, and says how much CPU time it took: node driver.js ours|official
// Also by hand, for a profile: node --cpu-prof bench/clients/driver.js ours PORT JSONRPC stream 300

/** @typedef {{ call(): Promise<void>, stream(): Promise<number>, close(): Promise<void> }} BenchClient */
/** @typedef {'JSONRPC' | 'HTTP+JSON'} Binding */
/** @typedef {{ port: number, binding: Binding, kind: 'call' | 'stream', count: number, concurrency: number }} Drive */

const [name, port, binding = 'JSONRPC', kind = 'call', count = '2000'] = process.argv.slice(2);
/** @type {{ connect(base: string, binding: Binding): Promise<BenchClient> }} */
const { connect } = await import(`./${name}.js`);

/** @type {Map<string, Promise<BenchClient>>} */
const clients = new Map();

/** @param {number} to @param {Binding} over */
function clientOf(to, over) {
  const key = `${to} ${over}`;
  const client = clients.get(key) ?? connect(`http://127.0.0.1:${to}`, over);
  clients.set(key, client);
  return client;
}

/** @param {BenchClient} client @param {Drive} drive @returns {Promise<number>} calls or events */
async function drive(client, { kind: what, count: calls, concurrency }) {
  let started = 0;
  let done = 0;
  const work = async () => {
    while (started < calls) {
      started += 1;
      // Read after the wait: `done += await …` would forget what the others have added meanwhile.
      const count = what === 'stream' ? await client.stream() : await client.call().then(() => 1);
      done += count;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return done;
}

/** Microseconds of CPU time, of the system's part too, for each call or each event. @param {Drive} job */
async function measure(job) {
  const client = await clientOf(job.port, job.binding);
  globalThis.gc?.();
  // A full collection also throws optimised code away; what is measured is a client that has been at work for a while.
  await drive(client, { ...job, count: Math.ceil(job.count / 4) });
  const before = process.cpuUsage();
  const done = await drive(client, job);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / done;
}

if (port) {
  const job = /** @type {Drive} */ ({
    port: Number(port),
    binding,
    kind,
    count: Number(count),
    concurrency: 8,
  });
  console.log(
    `${(await measure(job)).toFixed(2)} µs of CPU time for each ${kind === 'call' ? kind : 'event'}`,
  );
  for (const client of clients.values()) await (await client).close();
} else {
  process.on('message', async (message) => {
    try {
      process.send?.({ result: await measure(/** @type {Drive} */ (message)) });
    } catch (error) {
      process.send?.({ error: String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
}
