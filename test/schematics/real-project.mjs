// Does what a newcomer does, with the real tools: `nest new`, `npm install`, `nest g a2a-executor orders`, build,
// test, start and a message to the agent. Takes some minutes and the npm registry, so it is no part of `npm test`.
//
//   node test/schematics/real-project.mjs [tarball of the package; packed from the repository unless given]
//
// Exits non-zero at the first thing that is wrong. `nest g` exits 0 even when it fails, so the files are looked at.
// KEEP=1 keeps the project.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'nest-a2a-project-'));
const project = join(scratch, 'demo');

const step = (title) => console.log(`\n── ${title}`);
const read = (file) => readFileSync(join(project, file), 'utf8');
const edit = (file, change) => writeFileSync(join(project, file), change(read(file)));

function run(command, args, cwd = project) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  execFileSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
}

/** The CLI that is installed at a place, as `npx nest` would find it there. */
function nest(args, { cwd = project, home = project } = {}) {
  run(process.execPath, [join(home, 'node_modules/@nestjs/cli/bin/nest.js'), ...args], cwd);
}

function pack() {
  const args = ['pack', '--silent', '--pack-destination', scratch];
  const shell = process.platform === 'win32';
  const output = execFileSync('npm', args, { cwd: repository, encoding: 'utf8', shell });
  return join(scratch, output.trim().split('\n').at(-1));
}

function create(tarball) {
  step('a fresh project');
  nest(['new', 'demo', '--skip-install', '--skip-git', '-p', 'npm'], { cwd: scratch, home: repository });
  run('npm', ['install', '--no-audit', '--no-fund', tarball]);
  edit('nest-cli.json', (text) => JSON.stringify({ ...JSON.parse(text), collection: 'nest-a2a' }, null, 2));
}

function generate() {
  step('a dry run writes nothing');
  nest(['g', 'a2a-executor', 'orders', '--dry-run']);
  assert(!existsSync(join(project, 'src/orders')));

  step('nest g a2a-executor orders');
  nest(['g', 'a2a-executor', 'orders']);
  assert.match(read('src/orders/orders.agent.ts'), /export class OrdersAgent/);
  assert.match(read('src/orders/orders.agent.spec.ts'), /describe\('OrdersAgent'/);
  const module = read('src/app.module.ts');
  assert.match(module, /import \{ A2AModule \} from 'nest-a2a';/);
  assert.match(module, /import \{ OrdersAgent \} from '\.\/orders\/orders\.agent\.js';/);
  assert.match(module, /imports: \[A2AModule\.forFeature\(\[OrdersAgent\]\)\]/);
  assert.match(module, /providers: \[AppService, OrdersAgent\]/);

  step('the options of the command line');
  nest(['g', 'a2a', 'plain', 'sub', '--flat', '--no-spec', '--skip-import']);
  assert.match(read('src/sub/plain.agent.ts'), /export class PlainAgent/);
  assert(!existsSync(join(project, 'src/sub/plain.agent.spec.ts')));
  assert.equal(read('src/app.module.ts'), module);

  step('built-in schematics still work, and a second agent joins the first');
  nest(['g', 'service', 'stock']);
  assert.match(read('src/stock/stock.service.ts'), /export class StockService/);
  nest(['g', 'a2a-executor', 'billing', '--spec-file-suffix', 'test']);
  assert(existsSync(join(project, 'src/billing/billing.agent.test.ts')));
  assert.match(
    read('src/app.module.ts'),
    /forFeature\(\[OrdersAgent, \{ agent: BillingAgent, path: 'billing' \}\]\)/,
  );
}

function build() {
  step('A2AModule.forRoot() by hand, then build and test');
  edit('src/app.module.ts', (text) =>
    text.replace('A2AModule.forFeature(', 'A2AModule.forRoot(), A2AModule.forFeature('),
  );
  run('npm', ['run', 'build']);
  run('npm', ['test']);
  run('npx', ['tsc', '--noEmit', '-p', 'tsconfig.json']);
}

async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function answers() {
  step('start it and send a message to each agent');
  const port = await freePort();
  const app = spawn(process.execPath, ['dist/main.js'], {
    cwd: project,
    env: { ...process.env, PORT: String(port), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(app, 'exit');
  try {
    await started(app);
    await answer(`http://localhost:${port}/a2a/jsonrpc`);
    await answer(`http://localhost:${port}/billing/jsonrpc`);
  } finally {
    app.kill();
    await exit;
  }
}

function started(app) {
  return new Promise((resolve, reject) => {
    app.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      if (text.includes('successfully started')) {
        resolve();
      }
    });
    app.once('error', reject);
    app.once('exit', (code) =>
      reject(new Error(`The application exited with ${code} before it had started.`)),
    );
  });
}

async function answer(url) {
  const message = { messageId: 'message-1', role: 'ROLE_USER', parts: [{ text: 'world' }] };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  const body = await response.json();
  console.log(`${url} ${response.status} ${JSON.stringify(body)}`);
  assert.equal(response.status, 200);
  assert.equal(body.id, 1);
  assert.equal(body.result.task.status.state, 'TASK_STATE_COMPLETED');
  assert.deepEqual(body.result.task.artifacts[0].parts, [{ text: 'Hello, world' }]);
}

try {
  create(process.argv[2] ? resolve(process.argv[2]) : pack());
  generate();
  build();
  await answers();
  step('all is well');
} finally {
  if (process.env.KEEP) {
    console.log(`The project is kept in ${project}`);
  } else {
    rmSync(scratch, { recursive: true, force: true });
  }
}
