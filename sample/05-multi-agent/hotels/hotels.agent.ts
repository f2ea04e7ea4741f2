import { AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';

/** Has a question before it can answer. */
@AgentExecutor({ name: 'Hotels', description: 'Books a room in a city', version: '1.0.0' })
export class HotelsAgent {
  @Skill({ id: 'book', name: 'Book a room', description: 'Name a city', tags: ['hotels'] })
  async *book({ userInput, task }: RequestContext) {
    const nights = Number(userInput);
    if (!task || !(nights > 0)) {
      yield status('TASK_STATE_INPUT_REQUIRED', 'How many nights?');
      return;
    }
    const city = task.history?.[0]?.parts[0]?.text;
    yield artifact(`A room in ${city} for ${nights} nights`, { name: 'room' });
  }
}
