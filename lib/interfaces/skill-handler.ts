import type { Observable } from 'rxjs';
import type { Message } from '../protocol/model.js';
import type { Emission, EventQueue } from './event-queue.js';
import type { RequestContext } from './request-context.js';

/** What a handler may answer with at once: a text or a Message for the caller, a stream of events, or nothing (it wrote to the event queue). */
export type SkillAnswer = string | Message | Observable<Emission> | AsyncIterable<Emission> | void;

/** What a method decorated with `@Skill()` may return. */
export type SkillResult = SkillAnswer | Promise<SkillAnswer>;

/** The shape of a method that `@Skill()` accepts. */
export type SkillHandler = (context: RequestContext, eventQueue: EventQueue) => SkillResult;
