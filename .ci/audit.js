// Fails where the dependencies that applications get have known vulnerabilities. Not every registry knows of any: one that does not is told of.
import { spawnSync } from 'node:child_process';

/** What registries answer that have no such endpoint. */
const NOT_OFFERED = [404, 405, 501];

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const report = read(stdout);

if (report.auditReportVersion !== undefined) {
  const { total } = report.metadata.vulnerabilities;
  if (total > 0) fail(`Packages with known vulnerabilities: ${total}\n${stdout}`);
  console.log('No known vulnerabilities');
} else if (NOT_OFFERED.includes(report.statusCode)) {
  console.log(`NOT AUDITED: this registry offers no advisories (${report.message})`);
} else {
  fail(`npm audit failed: ${stdout}${stderr}`);
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
