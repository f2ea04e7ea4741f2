import type { StreamResponse } from '../../protocol/model.js';
import { isInterrupted } from '../../protocol/task-state.js';
import { ProtocolViolationError } from '../client-errors.js';
import { ArtifactAggregator } from './artifact-aggregator.js';
import { messageResult, resultOf, type AskResult } from './ask-result.js';

/** Which pauses end the reading. */
export interface OutcomeOptions {
  /** Whether an opening Task that waits tells of a pause before the stream. */
  readonly skipOpening?: boolean;
  /** Whether to read on through all pauses, until the stream ends. */
  readonly skipPauses?: boolean;
}

/** Reads a stream until the agent waits, or to its end. */
export async function readOutcome(
  events: AsyncIterable<StreamResponse>,
  { skipOpening = false, skipPauses = false }: OutcomeOptions = {},
): Promise<AskResult> {
  const story = new ArtifactAggregator();
  let skip = skipOpening || skipPauses;
  for await (const event of events) {
    story.add(event);
    const state = (event.task ?? event.statusUpdate)?.status.state;
    // A stream may stay open at a pause; one of a task that has ended closes by itself.
    if (state && isInterrupted(state) && !skip) break;
    skip = skipPauses;
  }
  const { message, task } = story;
  const result = message ? messageResult(message) : task && resultOf(task);
  if (!result) throw new ProtocolViolationError('The stream ended without an outcome');
  return result;
}
