import type { Observable } from 'rxjs';
import type { Message } from '../protocol/model.js';
import type { Emission, EventQueue } from './event-queue.js';
import type { RequestContext } from './request-context.js';

/** What a stream of a handler is made of: events, and texts, which become the chunks of one artifact. */
export type SkillEmission = Emission | string;

/** What a handler may answer with at once: a text or a Message for the caller, a stream, or nothing (it wrote to the event queue). */
export type SkillAnswer = string | Message | Observable<SkillEmission> | AsyncIterable<SkillEmission> | void;

/** What a method decorated with `@Skill()` may return. */
export type SkillResult = SkillAnswer | Promise<SkillAnswer>;

/** The shape of a method that `@Skill()` accepts. */
export type SkillHandler = (context: RequestContext, eventQueue: EventQueue) => SkillResult;
