import { Logger } from '@nestjs/common';
import type { SchemeOutcome } from '../../interfaces/security.js';

const logger = new Logger('A2A');

/** Nobody can tell whether the credentials are good, so nobody is let in; the log tells why. */
export function outage(what: string, error: unknown): SchemeOutcome {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  logger.error(`${what} could not be had: ${why}`);
  return { kind: 'unavailable', reason: 'identity-provider' };
}
