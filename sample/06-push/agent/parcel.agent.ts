import { setTimeout as sleep } from 'node:timers/promises';
import { AgentExecutor, artifact, RequestContext, Skill, status } from 'nest-a2a';

const STOPS = ['Picked up', 'In the van', 'At the door'];

@AgentExecutor({
  name: 'Parcels',
  description: 'Watches a parcel until it is delivered',
  version: '1.0.0',
  capabilities: { pushNotifications: true },
})
export class ParcelAgent {
  @Skill({ id: 'watch', name: 'Watch a parcel', description: 'Where is my parcel?', tags: ['parcels'] })
  async *watch({ userInput: parcel, signal }: RequestContext) {
    for (const stop of STOPS) {
      yield status('TASK_STATE_WORKING', stop);
      await sleep(500, undefined, { signal });
    }
    yield artifact(`Parcel ${parcel} was signed for by its owner`, { name: 'receipt' });
  } // returning completes the task
}
