import { AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';

@AgentExecutor({ name: 'Hello', description: 'Greets whoever writes to it', version: '1.0.0' })
export class HelloAgent {
  @Skill({
    id: 'greet',
    name: 'Greet',
    description: 'Tell it your name',
    tags: ['greeting'],
    examples: ['Ada'],
  })
  async *greet(context: RequestContext) {
    yield status('TASK_STATE_WORKING', 'Looking for the right words');
    yield artifact(`Hello, ${context.userInput}!`, { name: 'greeting' });
  } // returning completes the task
}
