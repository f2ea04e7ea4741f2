import { AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';

/** Knows at once. */
@AgentExecutor({ name: 'Flights', description: 'Finds a flight to a city', version: '1.0.0' })
export class FlightsAgent {
  @Skill({ id: 'find', name: 'Find a flight', description: 'Name a city', tags: ['flights'] })
  async *find({ userInput: city }: RequestContext) {
    yield status('TASK_STATE_WORKING', `Looking for flights to ${city}`);
    yield artifact(`Flight NA 204 to ${city}`, { name: 'flight' });
  }
}
