// Packs the package, installs it beside its required peers only, and imports it: no optional peer may be needed to load it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'nest-a2a-'));
const run = (command, args, cwd) =>
  execFileSync(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });

try {
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], process.cwd()),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  run('npm', ['install', '--omit=optional', '--no-audit', '--no-fund', join(folder, filename)], folder);
  const program = `
    const { A2AModule, AgentExecutor, Skill } = await import('nest-a2a');
    const { A2AClient, A2AClientModule, createA2AClient } = await import('nest-a2a/client');
    const items = [A2AModule, AgentExecutor, Skill, A2AClient, A2AClientModule, createA2AClient];
    if (!items.every((item) => typeof item === 'function')) throw new Error('exports are missing');
  `;
  run(process.execPath, ['--input-type=module', '--eval', program], folder);
  console.log(`${filename} loads without optional peers`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
