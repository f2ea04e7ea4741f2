import { Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { A2ABootError } from '../../lib/a2a.boot-error.js';
import { INVALID_NUMBER, TOO_LONG_FOR_A_TIMER } from '../../lib/interfaces/bad-numbers.js';
import * as messages from '../../lib/a2a.messages.js';
import { A2AModule } from '../../lib/a2a.module.js';
import { AgentExecutor } from '../../lib/decorators/agent-executor.decorator.js';
import { Skill } from '../../lib/decorators/skill.decorator.js';
import type { AgentFeature, SkillOptions } from '../../lib/interfaces/agent-options.js';
import type { A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { a2aModule, AGENT, BillingAgent, boot, OrderAgent, silence, TRACK } from './fixtures.js';

async function problemsOf(agents: readonly (Type | AgentFeature)[], options?: A2AModuleOptions) {
  const error = await boot(a2aModule(agents, options)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(A2ABootError);
  return (error as A2ABootError).problems;
}

/** What a JavaScript project can get wrong although the types forbid it. */
function agentWith(skills: readonly object[], options: object = {}): Type {
  @AgentExecutor({ ...AGENT, ...options })
  class SomeAgent {
    execute(): void {}
  }
  for (const skill of skills.toReversed()) Skill(skill as SkillOptions)(SomeAgent);
  return SomeAgent;
}

describe('boot errors', () => {
  beforeAll(silence);

  it('names a class that is no agent', async () => {
    class PlainService {}
    expect(await problemsOf([PlainService])).toEqual([messages.NOT_AN_AGENT('PlainService')]);
  });

  it('says which provider is missing', async () => {
    const builder = Test.createTestingModule({
      imports: [A2AModule.forRoot(), A2AModule.forFeature([OrderAgent])],
    });
    await expect(boot(builder)).rejects.toMatchObject({ problems: [messages.NOT_PROVIDED('OrderAgent')] });
    expect(messages.NOT_PROVIDED('OrderAgent')).toContain('add OrderAgent to the providers');
  });

  it('refuses an agent that handles nothing', async () => {
    @AgentExecutor(AGENT)
    class IdleAgent {}
    expect(await problemsOf([IdleAgent])).toEqual([messages.NO_HANDLER('IdleAgent')]);
  });

  it('refuses keys for secrets that are none, and does not show them', async () => {
    const keys = [{ id: 'k', key: 's3cr3t-key' }];
    const [problem] = await problemsOf([OrderAgent], { secrets: { keys } });
    expect(problem).toContain('secrets.keys[0].key must be 32 bytes');
    expect(problem).not.toContain('s3cr3t-key');
    expect(await problemsOf([OrderAgent], { secrets: { keys: [] } })).toEqual([
      'secrets.keys is empty: give it at least one key',
    ]);
  });

  it('refuses execute() beside skill methods', async () => {
    @AgentExecutor(AGENT)
    class TornAgent {
      execute(): void {}
      @Skill(TRACK)
      track(): void {}
    }
    expect(await problemsOf([TornAgent])).toEqual([messages.TWO_KINDS_OF_HANDLERS('TornAgent', ['track'])]);
  });

  it('refuses a skill on the class that no execute() handles', async () => {
    @Skill({ ...TRACK, id: 'lost' })
    @AgentExecutor(AGENT)
    class LostAgent {
      @Skill(TRACK)
      track(): void {}
    }
    expect(await problemsOf([LostAgent])).toEqual([messages.SKILL_WITHOUT_HANDLER('LostAgent', 'lost')]);
  });

  it('refuses two skills with one id, and says where they are', async () => {
    @AgentExecutor(AGENT)
    class TwiceAgent {
      @Skill(TRACK)
      first(): void {}
      @Skill(TRACK)
      second(): void {}
    }
    const expected = messages.TWO_SKILLS_WITH_ONE_ID('TwiceAgent', 'track', ['first()', 'second()']);
    expect(await problemsOf([TwiceAgent])).toEqual([expected]);
  });

  it.each([
    ['id', { id: undefined }, 'is required'],
    ['id', { id: '' }, 'is required'],
    ['name', { name: undefined }, 'is required'],
    ['description', { description: undefined }, 'is required'],
    ['tags', { tags: undefined }, 'must have at least one element'],
    ['tags', { tags: [] }, 'must have at least one element'],
    ['tags', { tags: 'orders' }, 'must be an array'],
  ])('refuses a skill without %s: %j', async (field, change, description) => {
    const problems = await problemsOf([agentWith([{ ...TRACK, ...change }])]);
    const violation = { field: `skills[0].${field}`, description };
    expect(problems).toEqual([messages.INVALID_CARD('SomeAgent', violation, '@Skill() on SomeAgent')]);
  });

  it('names the method that carries a bad skill', async () => {
    @AgentExecutor(AGENT)
    class MethodAgent {
      @Skill({ ...TRACK, name: '' })
      track(): void {}
    }
    const [problem] = await problemsOf([MethodAgent]);
    expect(problem).toContain('skills[0].name is required. Mend it in @Skill() on MethodAgent.track()');
  });

  it.each([
    ['name', { name: '' }, 'is required'],
    ['version', { version: undefined }, 'is required'],
    ['iconUrl', { iconUrl: '/icon.png' }, 'must be an absolute URL, not "/icon.png"'],
    [
      'provider.url',
      { provider: { url: 'acme', organization: 'Acme' } },
      'must be an absolute URL, not "acme"',
    ],
    [
      'securityRequirements[0].schemes',
      { securityRequirements: [{ schemes: { bearer: {} } }] },
      'names "bearer", which securitySchemes does not declare',
    ],
  ])('refuses a card whose %s is wrong', async (field, options, description) => {
    const problems = await problemsOf([agentWith([TRACK], options)]);
    expect(problems).toEqual([messages.INVALID_CARD('SomeAgent', { field, description })]);
  });

  it('refuses a scheme that is required and guarded by nothing, be it of a skill', async () => {
    const securitySchemes = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } };
    const securityRequirements = [{ schemes: { bearer: {} } }];
    const agent = agentWith([TRACK], { securitySchemes, securityRequirements });
    expect(await problemsOf([agent])).toEqual([
      messages.SCHEME_WITHOUT_GUARD('SomeAgent', 'bearer', 'securityRequirements'),
    ]);
    const skill = agentWith([{ ...TRACK, securityRequirements }], { securitySchemes });
    expect(await problemsOf([skill])).toEqual([
      messages.SCHEME_WITHOUT_GUARD('SomeAgent', 'bearer', `The skill "${TRACK.id}"`),
    ]);
    expect(messages.SCHEME_WITHOUT_GUARD('SomeAgent', 'bearer', 'x')).toContain('hostGuarded(');
  });

  it('refuses a further interface without an absolute URL', async () => {
    const additionalInterfaces = [{ url: '/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }];
    const problems = await problemsOf([{ agent: OrderAgent, additionalInterfaces }]);
    const violation = {
      field: 'supportedInterfaces[2].url',
      description: 'must be an absolute URL, not "/rest"',
    };
    expect(problems).toEqual([messages.INVALID_CARD('OrderAgent', violation)]);
  });

  it('refuses two agents on one path', async () => {
    const problems = await problemsOf([OrderAgent, { agent: BillingAgent, path: '/a2a/' }]);
    expect(problems).toEqual([messages.TWO_AGENTS_ON_ONE_PATH(['OrderAgent', 'BillingAgent'], 'a2a')]);
  });

  it('refuses two agents with one id', async () => {
    const problems = await problemsOf([OrderAgent, { agent: OrderAgent, path: 'again' }]);
    expect(problems).toEqual([messages.TWO_AGENTS_WITH_ONE_ID(['OrderAgent', 'OrderAgent'], 'OrderAgent')]);
  });

  it('refuses two owners of the well-known path', async () => {
    const problems = await problemsOf([
      { agent: OrderAgent, wellKnown: true },
      { agent: BillingAgent, wellKnown: true, path: 'billing' },
    ]);
    expect(problems).toEqual([messages.TWO_WELL_KNOWN_AGENTS(['OrderAgent', 'BillingAgent'])]);
  });

  it('refuses a path that is no plain path', async () => {
    const problems = await problemsOf([{ agent: OrderAgent, path: ':tenant/a2a' }]);
    expect(problems).toEqual([messages.INVALID_PATH('OrderAgent', ':tenant/a2a')]);
  });

  it('allows the push capability without further ado', async () => {
    const agent = agentWith([TRACK], { capabilities: { pushNotifications: true } });
    await expect(boot(a2aModule([agent]))).resolves.toBeDefined();
  });

  it('allows the extended card capability without a card', async () => {
    const agent = agentWith([TRACK], { capabilities: { extendedAgentCard: true } });
    await expect(boot(a2aModule([agent]))).resolves.toBeDefined();
  });

  it.each([
    'api.example.com',
    '/agents',
    'ftp://example.com',
    'https://example.com?x=1',
    'https://me:pw@example.com',
  ])('refuses the publicUrl %s', async (publicUrl) => {
    expect(await problemsOf([OrderAgent], { publicUrl })).toEqual([messages.INVALID_PUBLIC_URL(publicUrl)]);
  });

  it('refuses times that no timer holds', async () => {
    const options = {
      recovery: { sweepMs: Infinity },
      push: { timeoutMs: 2 ** 31 },
      urls: { lookupMs: 1e10 },
    };
    expect(await problemsOf([OrderAgent], options)).toEqual([
      TOO_LONG_FOR_A_TIMER('recovery.sweepMs', Infinity),
      TOO_LONG_FOR_A_TIMER('push.timeoutMs', 2 ** 31),
      TOO_LONG_FOR_A_TIMER('urls.lookupMs', 1e10),
    ]);
  });

  it('allows counts without limit, and ages of any length', async () => {
    const options = { limits: { runs: Infinity }, retention: { maxAgeMs: 90 * 24 * 3_600_000 } };
    await expect(boot(a2aModule([OrderAgent], options))).resolves.toBeDefined();
  });

  it('refuses numbers that are none, and those below zero', async () => {
    const options = {
      cardMaxAge: NaN,
      limits: { parts: -1, runs: 0 },
      push: { timeoutMs: Number('ten') },
      urls: { maxBytes: NaN, timeoutMs: -1, lookupMs: 0 },
    };
    expect(await problemsOf([OrderAgent], options)).toEqual([
      INVALID_NUMBER('cardMaxAge', NaN),
      INVALID_NUMBER('limits.parts', -1),
      INVALID_NUMBER('push.timeoutMs', NaN),
      INVALID_NUMBER('urls.maxBytes', NaN),
      INVALID_NUMBER('urls.timeoutMs', -1),
    ]);
  });

  it('tells all problems at once', async () => {
    class PlainService {}
    const problems = await problemsOf([PlainService, agentWith([{ ...TRACK, name: '' }])]);
    expect(problems).toHaveLength(2);
    expect(new A2ABootError(problems).message).toContain(
      problems.map((problem) => `- ${problem}`).join('\n'),
    );
  });

  it('says that forFeature() needs forRoot()', async () => {
    @Module({ imports: [A2AModule.forFeature([OrderAgent])], providers: [OrderAgent] })
    class OrdersModule {}
    await expect(Test.createTestingModule({ imports: [OrdersModule] }).compile()).rejects.toThrow(
      messages.FEATURE_WITHOUT_ROOT,
    );
  });

  it('refuses a second forRoot()', async () => {
    const imports = [A2AModule.forRoot(), A2AModule.forRoot(), A2AModule.forFeature([OrderAgent])];
    const builder = Test.createTestingModule({ imports, providers: [OrderAgent] });
    await expect(boot(builder)).rejects.toMatchObject({ problems: [messages.TWO_ROOTS] });
  });

  it('says what an undefined agent comes from', () => {
    expect(() => A2AModule.forFeature([undefined as unknown as Type])).toThrow(messages.AGENT_UNDEFINED);
  });
});
