import { Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { getAgentExecutorOptions, getSkills } from '../../lib/decorators/metadata.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import type { Emission, EventQueue } from '../../lib/interfaces/event-queue.js';
import type { RequestContext } from '../../lib/interfaces/request-context.js';
import { status } from '../../lib/protocol/events.js';
import { agentMessage } from '../../lib/protocol/messages.js';
import type { Message } from '../../lib/protocol/model.js';

const AGENT = { name: 'Order desk', description: 'Tracks orders', version: '1.0.0' };
const skill = (id: string) => ({ id, name: id, description: id, tags: ['orders'] });

class Service {}

describe('@AgentExecutor()', () => {
  it('keeps the options, without those for Nest', () => {
    @AgentExecutor({ ...AGENT, scope: Scope.REQUEST, durable: true })
    class SomeAgent {}
    expect(getAgentExecutorOptions(SomeAgent)).toEqual(AGENT);
  });

  it('makes the class injectable', async () => {
    @AgentExecutor(AGENT)
    class SomeAgent {
      constructor(readonly service: Service) {}
    }
    const module = await Test.createTestingModule({ providers: [SomeAgent, Service] }).compile();
    expect(module.get(SomeAgent).service).toBeInstanceOf(Service);
  });

  it('passes the scope on to Nest', async () => {
    @AgentExecutor({ ...AGENT, scope: Scope.REQUEST })
    class SomeAgent {}
    const module = await Test.createTestingModule({ providers: [SomeAgent] }).compile();
    expect(() => module.get(SomeAgent)).toThrow(/scope/);
    expect(await module.resolve(SomeAgent)).not.toBe(await module.resolve(SomeAgent));
  });

  it('is also the name of the contract that the class implements', () => {
    @AgentExecutor(AGENT)
    class SomeAgent implements AgentExecutor {
      execute(_context: RequestContext, _eventQueue: EventQueue): void {}
    }
    expect(getAgentExecutorOptions(SomeAgent)).toEqual(AGENT);
  });

  it('is inherited', () => {
    @AgentExecutor(AGENT)
    class Parent {}
    class Child extends Parent {}
    expect(getAgentExecutorOptions(Child)).toEqual(AGENT);
    expect(getAgentExecutorOptions(Service)).toBeUndefined();
  });
});

describe('@Skill()', () => {
  it('lists skills in the order in which they are written', () => {
    @Skill(skill('a'))
    @Skill(skill('b'))
    class SomeAgent {
      @Skill(skill('c'))
      @Skill(skill('d'))
      first(): void {}
      plain(): void {}
      @Skill(skill('e'))
      second(): void {}
    }
    expect(getSkills(SomeAgent).map(({ id, method }) => [id, method])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', 'first'],
      ['d', 'first'],
      ['e', 'second'],
    ]);
  });

  it('is inherited, and a child adds to it without changing the parent', () => {
    @Skill(skill('a'))
    class Parent {
      @Skill(skill('m'))
      handle(): void {}
    }
    @Skill(skill('b'))
    class Child extends Parent {}
    expect(getSkills(Child).map(({ id }) => id)).toEqual(['b', 'a', 'm']);
    expect(getSkills(Parent).map(({ id }) => id)).toEqual(['a', 'm']);
  });

  it('accepts every form of handler, and nothing else', () => {
    class Forms {
      @Skill(skill('text'))
      text(context: RequestContext): string {
        return context.userInput;
      }
      @Skill(skill('message'))
      async message(): Promise<Message> {
        return agentMessage('Hello');
      }
      @Skill(skill('observable'))
      observable(): Observable<Emission> {
        return of(status('TASK_STATE_WORKING'));
      }
      @Skill(skill('generator'))
      async *generator(_context: RequestContext) {
        yield status('TASK_STATE_WORKING');
        yield agentMessage('Hello');
      }
      @Skill(skill('promised generator'))
      async promised(): Promise<AsyncIterable<Emission>> {
        return this.generator({} as RequestContext);
      }
      @Skill(skill('queue'))
      async queue(_context: RequestContext, eventQueue: EventQueue): Promise<void> {
        await eventQueue.flush();
      }
    }
    class Wrong {
      // @ts-expect-error a number is no answer
      @Skill(skill('number'))
      number(): number {
        return 1;
      }
      // @ts-expect-error nobody passes a third argument
      @Skill(skill('third'))
      third(_context: RequestContext, _eventQueue: EventQueue, _third: string): void {}
    }
    // @ts-expect-error tags are REQUIRED
    Skill({ id: 'a', name: 'a', description: 'a' });
    expect(getSkills(Forms)).toHaveLength(6);
    expect(getSkills(Wrong)).toHaveLength(2);
  });
});
