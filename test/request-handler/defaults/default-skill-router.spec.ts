import { describe, expect, it } from 'vitest';
import type { AgentDefinition, SkillDefinition } from '../../../lib/interfaces/agent-registry.js';
import { ContentTypeNotSupportedError, InvalidParamsError } from '../../../lib/protocol/errors.js';
import type { JsonObject, Part } from '../../../lib/protocol/model.js';
import { DefaultSkillRouter } from '../../../lib/request-handler/defaults/default-skill-router.js';

const skill = (id: string, inputModes?: string[]): SkillDefinition => ({
  id,
  name: id,
  description: id,
  tags: [id],
  method: id,
  ...(inputModes && { inputModes }),
});
const SKILLS = [
  skill('text'),
  skill('images', ['image/*']),
  skill('json', ['application/json', 'text/plain']),
];
const AGENT = { card: { defaultInputModes: ['text/plain'] } } as unknown as AgentDefinition;

function route(
  parts: Part[],
  metadata?: JsonObject,
  checkInputModes = true,
  current?: SkillDefinition,
): string {
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts, ...(metadata && { metadata }) };
  return new DefaultSkillRouter({ checkInputModes }).route({ message }, SKILLS, AGENT, current).id;
}

describe('DefaultSkillRouter', () => {
  it('takes the skill that the message names, whatever its parts', () => {
    expect(route([{ text: 'hi' }], { skillId: 'images' })).toBe('images');
  });

  it.each([['nobody'], [7], [null]])('refuses the skill id %j and lists the known ones', (skillId) => {
    const refused = () => route([{ text: 'hi' }], { skillId });
    expect(refused).toThrow(InvalidParamsError);
    expect(refused).toThrow(
      'message.metadata.skillId must be the id of a skill of this agent: text, images, json',
    );
  });

  it.each<[string, Part[]]>([
    ['text', [{ text: 'hi' }]],
    [
      'images',
      [
        { raw: 'AA==', mediaType: 'image/png' },
        { url: 'https://a.b/c', mediaType: 'image/jpeg' },
      ],
    ],
    ['json', [{ data: { a: 1 } }]],
    ['json', [{ text: 'hi' }, { data: null }]],
  ])('takes %s by what it takes', (id, parts) => {
    expect(route(parts)).toBe(id);
  });

  it('stays with the skill that the task was begun with, unless the message names another', () => {
    expect(route([{ text: 'hi' }], undefined, true, SKILLS[1])).toBe('images');
    expect(route([{ text: 'hi' }], { skillId: 'json' }, true, SKILLS[1])).toBe('json');
  });

  it('refuses no part for a media type that it does not declare', () => {
    expect(route([{ raw: 'AA==' }])).toBe('text');
    expect(route([{ text: 'hi' }, { raw: 'AA==', mediaType: 'image/png' }])).toBe('images');
  });

  it('refuses parts that no one skill takes', () => {
    const mixed = [
      { text: 'hi', mediaType: 'text/plain' },
      { raw: 'AA==', mediaType: 'image/png' },
    ];
    expect(() => route(mixed)).toThrow(ContentTypeNotSupportedError);
    expect(() => route(mixed)).toThrow('text/plain, image/png');
  });

  it('takes the first when input modes are not checked', () => {
    expect(route([{ raw: 'AA==' }], undefined, false)).toBe('text');
  });
});
