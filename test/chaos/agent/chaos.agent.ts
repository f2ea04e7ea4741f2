import { setTimeout as sleep } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { AgentExecutor, type RequestContext } from 'nest-a2a';
import type { HeldTokens } from './journal-leases.js';
import type { Journal } from './journal.js';
import { MarkedRun } from './marked-run.js';
import type { Script } from './script.js';

export const JOURNAL = Symbol('JOURNAL');
export const HELD_TOKENS = Symbol('HELD_TOKENS');

/** Does what the message's script says, and keeps a journal of it. */
@AgentExecutor({
  name: 'Chaos agent',
  description: 'Works while everything around it is killed',
  version: '1.0.0',
  skills: [{ id: 'script', name: 'Follow a script', description: 'The text is JSON', tags: ['test'] }],
})
export class ChaosAgent {
  constructor(
    @Inject(JOURNAL) private readonly journal: Journal,
    @Inject(HELD_TOKENS) private readonly tokens: { current: HeldTokens },
  ) {}

  async execute(context: RequestContext): Promise<void> {
    const { taskId: task, message, call } = context;
    const marked = new MarkedRun(context, this.journal);
    const { run } = marked;
    const { token, attempt } = this.tokens.current.get(task)!;
    this.journal.write({
      note: 'begin',
      run,
      task,
      message: message.messageId,
      token,
      attempt,
      agent: call.agent,
    });
    try {
      await this.follow(JSON.parse(message.parts[0]!.text!) as Script, marked, context);
    } finally {
      this.journal.write({ note: 'end', run, task });
    }
  }

  private async follow(script: Script, run: MarkedRun, { signal, updater }: RequestContext): Promise<void> {
    switch (script.do) {
      case 'finish':
        return run.status('TASK_STATE_COMPLETED');
      case 'park':
        await run.chunk();
        await run.close();
        await sleep(5, undefined, { signal });
        return run.status('TASK_STATE_INPUT_REQUIRED', 'And now?');
      case 'detach':
        await run.status('TASK_STATE_WORKING', 'Detaching');
        return updater.detach();
      case 'throw':
        await run.status('TASK_STATE_WORKING');
        await run.chunk();
        throw new Error('thrown by the script');
      case 'hold':
        await run.status('TASK_STATE_WORKING');
        await sleep(script.ms, undefined, { signal: script.deaf ? undefined : signal });
        return run.status('TASK_STATE_COMPLETED');
      case 'work':
        await run.status('TASK_STATE_WORKING');
        for (let i = 1; i <= script.chunks; i++) {
          await run.chunk();
          if (i % script.flushEvery === 0) await run.flush();
          if (script.pauseMs > 0) await sleep(script.pauseMs, undefined, { signal });
        }
        await run.close();
        return run.status('TASK_STATE_COMPLETED');
    }
  }
}
