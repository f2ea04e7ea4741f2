import { Logger } from '@nestjs/common';
import type { A2AAudit, AuditEvent } from '../interfaces/audit.js';

const logger = new Logger('A2AAudit');

/** An audit that fails must not change the answer. */
export function recordSafely(audit: A2AAudit, event: AuditEvent): void {
  try {
    audit.record(event);
  } catch (error) {
    logger.error(`The audit failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
