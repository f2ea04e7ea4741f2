import { Injectable } from '@nestjs/common';
import { recordSafely } from '../guards/record-safely.js';
import { refusalChallenges, refusalText } from '../guards/refusal-challenges.js';
import type { SecurityRefusal } from '../guards/security-verdict.js';
import { A2AAudit, type AuditEvent } from '../interfaces/audit.js';
import {
  PermissionDeniedError,
  UnauthenticatedError,
  UnavailableError,
  type A2AError,
} from '../protocol/errors.js';
import type { HttpExchange } from '../http/http-exchange.js';
import type { IncomingCall } from './incoming-call.js';

/** Tells caller and audit that a call is turned away. */
@Injectable()
export class Refusals {
  readonly #recorded = new WeakSet<A2AError>();

  constructor(private readonly audit: A2AAudit) {}

  /** The error to throw, whose challenges are on the response. */
  refuse(refusal: SecurityRefusal, call: IncomingCall, exchange: HttpExchange, skill?: string): A2AError {
    const { kind, scheme, reason, missingScopes, user } = refusal;
    if (kind !== 'unavailable') {
      exchange.setHeader('WWW-Authenticate', refusalChallenges(refusal, call.agent).join(', '));
    }
    const error = errorOf(refusal);
    this.#recorded.add(error);
    this.#record(call, {
      kind,
      scheme,
      reason,
      ...(skill !== undefined && { skill }),
      ...(missingScopes && { missingScopes }),
      ...(user !== undefined && { user }),
    });
    return error;
  }

  /** Records what other guards refused. */
  note(error: A2AError, call: IncomingCall): void {
    if (this.#recorded.has(error)) return;
    if (error instanceof UnauthenticatedError)
      this.#record(call, { kind: 'unauthenticated', reason: 'guard' });
    if (error instanceof PermissionDeniedError) this.#record(call, { kind: 'denied', reason: 'guard' });
  }

  #record(call: IncomingCall, event: Omit<AuditEvent, 'agent' | 'binding' | 'operation'>): void {
    const operation = operationOf(call);
    recordSafely(this.audit, {
      ...event,
      agent: call.agent.id,
      binding: call.binding.name,
      ...(operation && { operation }),
    });
  }
}

function operationOf(call: IncomingCall): AuditEvent['operation'] {
  try {
    return call.requested().operation;
  } catch {
    return undefined;
  }
}

function errorOf(refusal: SecurityRefusal): A2AError {
  const text = refusalText(refusal);
  if (refusal.kind === 'unavailable') return new UnavailableError(text);
  if (refusal.kind === 'unauthenticated') return new UnauthenticatedError(text);
  const { scheme, missingScopes = [] } = refusal;
  return new PermissionDeniedError(text, { metadata: { scheme, missingScopes: missingScopes.join(' ') } });
}
