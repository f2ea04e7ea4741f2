import { Logger } from '@nestjs/common';
import { InternalError, type A2AError } from '../protocol/errors.js';

const logger = new Logger('A2A');

/** Writes what the caller is not told to the log, under the correlation id that the caller is told. */
export function logInternal(error: A2AError): void {
  if (!(error instanceof InternalError)) return;
  const { cause = error } = error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  logger.error(`${error.message} [${error.correlationId}] ${text}`);
}
