import { Injectable, Logger } from '@nestjs/common';
import { A2AAudit, type AuditEvent } from '../interfaces/audit.js';

/** Writes refusals to the log: as a warning, or for debugging where only credentials were missing, as clients begin so. */
@Injectable()
export class LoggerAudit extends A2AAudit {
  readonly #logger = new Logger('A2AAudit');

  override record({ kind, reason, ...event }: AuditEvent): void {
    // JSON, so that no name of a user makes two lines of one.
    const text = `${kind} (${reason}) ${JSON.stringify(event)}`;
    if (reason === 'missing') this.#logger.debug(text);
    else this.#logger.warn(text);
  }
}
