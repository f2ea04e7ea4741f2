import { describe, expect, it } from 'vitest';
import * as api from '../../lib/index.js';

describe('the public names', () => {
  it('are what an application needs', () => {
    expect(api).toMatchObject({
      A2AModule: expect.any(Function),
      AgentExecutor: expect.any(Function),
      Skill: expect.any(Function),
      TaskStore: expect.any(Function),
      textPart: expect.any(Function),
      A2AError: expect.any(Function),
    });
  });

  it('have nothing of the inner works', () => {
    const internal =
      /Explorer|Features|FeatureModule|Routes|Endpoint|Boot(?!Error)|_MODULE|EXTRAS|^(parse|build)/;
    expect(Object.keys(api).filter((name) => internal.test(name))).toEqual([]);
  });
});
