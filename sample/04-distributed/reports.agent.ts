import { setTimeout as sleep } from 'node:timers/promises';
import { AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';

/** Only reads, so a run that was cut off may begin anew on another process. */
@AgentExecutor({
  name: 'Reports',
  description: 'Writes reports, a page each second',
  version: '1.0.0',
  onInterrupted: 'retry',
})
export class ReportsAgent {
  @Skill({
    id: 'write',
    name: 'Write a report',
    description: 'Say how many pages',
    tags: ['reports'],
    examples: ['10'],
  })
  async *write({ userInput, attempt, signal }: RequestContext) {
    const pages = Math.min(Number.parseInt(userInput) || 3, 1_000);
    yield status('TASK_STATE_WORKING', `Attempt ${attempt}, process ${process.pid}`);
    for (let page = 1; page <= pages; page++) {
      await sleep(1_000, undefined, { signal });
      // In a second attempt the first page replaces all that the first one wrote.
      yield artifact(`Page ${page}. `, {
        artifactId: 'report',
        append: page > 1,
        lastChunk: page === pages,
      });
    }
  }
}
