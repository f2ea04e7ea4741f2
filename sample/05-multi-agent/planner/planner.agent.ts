import { AgentError, AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';
import { A2AClient, InjectA2AClient, type AskResult } from 'nest-a2a/client';

/** Lets two other agents do the work, and hands on what they ask. */
@AgentExecutor({ name: 'Planner', description: 'Plans a trip to a city', version: '1.0.0' })
export class PlannerAgent {
  constructor(
    @InjectA2AClient('flights') private readonly flights: A2AClient,
    @InjectA2AClient('hotels') private readonly hotels: A2AClient,
  ) {}

  @Skill({ id: 'plan', name: 'Plan a trip', description: 'Name a city', tags: ['travel'] })
  async *plan({ userInput, task, signal }: RequestContext) {
    // What it noted when it paused is what it knows when it goes on, on whichever process that is.
    const waiting = task?.metadata?.['hotelsTask'];
    if (typeof waiting === 'string') {
      yield* this.answer(await this.hotels.continueTask(waiting, userInput, { signal }));
      return;
    }
    yield status('TASK_STATE_WORKING', `Planning a trip to ${userInput}`);
    const [flight, room] = await Promise.all([
      this.flights.ask(userInput, { signal }),
      this.hotels.ask(userInput, { signal }),
    ]);
    yield* this.answer(flight);
    yield* this.answer(room);
  }

  /** What another agent answered, as this one's: its artifacts, or its question. */
  private *answer(result: AskResult) {
    switch (result.kind) {
      case 'completed':
        for (const { parts, name = 'result' } of result.artifacts) yield artifact(parts, { name });
        return;
      case 'input-required':
        yield status('TASK_STATE_INPUT_REQUIRED', result.text, { metadata: { hotelsTask: result.task.id } });
        return;
      default:
        throw new AgentError(`Another agent could not help: ${result.kind}`);
    }
  }
}
