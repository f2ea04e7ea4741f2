import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { HttpException, Logger } from '@nestjs/common';
import { AgentError } from '../protocol/agent-error.js';
import { fromHttpStatus } from '../protocol/error-from-http-status.js';
import { A2AError } from '../protocol/errors.js';

const logger = new Logger('A2A');

/** The error that callers may see of what an executor threw; undefined when it is none of their business. */
export function publicError(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error;
  if (error instanceof HttpException && error.getStatus() < 500)
    return fromHttpStatus(error.getStatus(), error.message);
  return undefined;
}

/** The text that callers see when a run has failed. What it hides is logged under the same reference. */
export function publicFailure(error: unknown, taskId: string): string {
  if (error instanceof AgentError) return error.publicMessage;
  const known = publicError(error);
  if (known) return known.message;
  const reference = randomUUID();
  // Inspected, because a stack does not tell the causes.
  logger.error(`Task ${taskId} failed (reference ${reference})`, inspect(error));
  return `The agent failed to handle the message (reference ${reference})`;
}
