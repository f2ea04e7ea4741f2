// Starts the hello sample as README.md says and runs the curl line that it prints.
import { execSync, spawn } from 'node:child_process';

const PORT = '3917';
const sample = spawn('npm', ['start'], {
  env: { ...process.env, PORT },
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const curl = await new Promise((resolve, reject) => {
    let printed = '';
    sample.stdout.on('data', (chunk) => {
      printed += chunk;
      const line = /curl .+/.exec(printed);
      if (line && printed.endsWith('\n')) resolve(line[0]);
    });
    sample.on('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${printed}`)));
  });
  const answer = JSON.parse(execSync(`${curl} --silent --show-error`, { encoding: 'utf8' }));
  if (answer.result?.task?.status.state !== 'TASK_STATE_COMPLETED') throw new Error(JSON.stringify(answer));
  console.log(`The hello sample answers: ${answer.result.task.artifacts[0].parts[0].text}`);
} finally {
  process.kill(-sample.pid, 'SIGTERM');
}
