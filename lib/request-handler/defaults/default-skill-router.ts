import { Inject, Injectable } from '@nestjs/common';
import type { AgentDefinition, SkillDefinition } from '../../interfaces/agent-registry.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../../interfaces/module-options.js';
import { SkillRouter } from '../../interfaces/skill-router.js';
import { ContentTypeNotSupportedError, InvalidParamsError } from '../../protocol/errors.js';
import { accepts } from '../../protocol/media-type.js';
import type { SendMessageRequest } from '../../protocol/model.js';
import { mediaTypeOf } from '../input-modes.js';

/**
 * Takes the skill that `message.metadata.skillId` names, else the one that the task was begun with, else the first whose input modes take all
 * parts. A part without a media type counts as what its kind of content usually is, and is no reason to refuse.
 */
@Injectable()
export class DefaultSkillRouter extends SkillRouter {
  constructor(@Inject(A2A_OPTIONS) private readonly options: Pick<ResolvedOptions, 'checkInputModes'>) {
    super();
  }

  override route(
    { message }: SendMessageRequest,
    skills: readonly SkillDefinition[],
    agent: AgentDefinition,
    current?: SkillDefinition,
  ): SkillDefinition {
    const skillId = message.metadata?.['skillId'];
    if (skillId !== undefined) return findSkill(skills, skillId);
    if (current) return current;
    const mediaTypes = message.parts.map(mediaTypeOf);
    const takesAll = (skill: SkillDefinition) =>
      mediaTypes.every((mediaType) => accepts(inputModesOf(skill, agent), mediaType));
    const declared = message.parts.flatMap(({ mediaType }) => mediaType ?? []);
    const takesDeclared = (skill: SkillDefinition) =>
      declared.every((mediaType) => accepts(inputModesOf(skill, agent), mediaType));
    const skill = skills.find(takesAll) ?? skills.find(takesDeclared);
    if (skill) return skill;
    if (this.options.checkInputModes) throw noneFits(skills, declared);
    return skills[0]!;
  }
}

function inputModesOf(skill: SkillDefinition, agent: AgentDefinition): readonly string[] {
  return skill.inputModes?.length ? skill.inputModes : agent.card.defaultInputModes;
}

function findSkill(skills: readonly SkillDefinition[], skillId: unknown): SkillDefinition {
  const skill = skills.find(({ id }) => id === skillId);
  if (skill) return skill;
  const ids = skills.map(({ id }) => id).join(', ');
  const description = `must be the id of a skill of this agent: ${ids}`;
  throw new InvalidParamsError([{ field: 'message.metadata.skillId', description }]);
}

function noneFits(
  skills: readonly SkillDefinition[],
  mediaTypes: readonly string[],
): ContentTypeNotSupportedError {
  const ids = skills.map(({ id }) => id).join(', ');
  return new ContentTypeNotSupportedError(
    `No skill takes all parts of the message (${[...new Set(mediaTypes)].join(', ')}). ` +
      `The skills (${ids}) name what they take in the agent card`,
  );
}
