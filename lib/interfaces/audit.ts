import type { OperationName } from '../protocol/operations.js';
import type { ProtocolBinding } from './server-call-context.js';

/** A call that was turned away. It holds nothing secret. */
export interface AuditEvent {
  /** `unauthenticated`: nobody we know calls; `denied`: the caller may not do this; `unavailable`: nobody could tell. */
  readonly kind: 'unauthenticated' | 'denied' | 'unavailable';
  /** Id of the agent. */
  readonly agent: string;
  /** Absent when the request is malformed, and on routes of the host. */
  readonly operation?: OperationName;
  readonly skill?: string;
  readonly binding?: ProtocolBinding;
  /** Name of the security scheme, when the refusal is about one. */
  readonly scheme?: string;
  /** A short word: `missing`, `expired`, `signature`, `missing-scope`, `guard` … */
  readonly reason: string;
  /** Scopes that the caller lacks. */
  readonly missingScopes?: readonly string[];
  /** Id of the caller, if known. */
  readonly user?: string;
}

/**
 * Learns of every call that was turned away. By default the Logger does.
 *
 * @publicApi
 */
export abstract class A2AAudit {
  /** Called before the refusal is answered; what it throws is logged and changes nothing. */
  abstract record(event: AuditEvent): void;
}
