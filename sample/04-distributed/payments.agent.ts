import { setTimeout as sleep } from 'node:timers/promises';
import { AgentExecutor, RequestContext, Skill, status } from 'nest-a2a';

/** Must not pay twice: a run that was cut off is not repeated, and its task becomes FAILED, so that somebody looks. */
@AgentExecutor({ name: 'Payments', description: 'Pays bills', version: '1.0.0' })
export class PaymentsAgent {
  @Skill({ id: 'pay', name: 'Pay a bill', description: 'Say which one', tags: ['payments'] })
  async *pay({ userInput, signal }: RequestContext) {
    yield status('TASK_STATE_WORKING', `Process ${process.pid} talks to the bank`);
    await sleep(10_000, undefined, { signal });
    yield `Paid ${userInput}`;
  }
}
