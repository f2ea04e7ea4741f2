import { findDetail, retryInfo, type ErrorDetail } from '../../protocol/error-details.js';
import { fromHttpStatus } from '../../protocol/error-from-http-status.js';
import { fromReason } from '../../protocol/error-from-reason.js';
import { ERRORS, type ErrorReason, type ErrorRow } from '../../protocol/error-table.js';
import { UnauthenticatedError, type A2AError } from '../../protocol/errors.js';
import { isObject } from '../../protocol/is-object.js';

/** An error as a peer reports it, whatever the binding. */
export interface ReportedError {
  /** ErrorInfo and the like; whatever the peer put there. */
  readonly details: unknown;
  readonly message: unknown;
  /** What the binding says where there is no reason that is known. */
  readonly reason?: ErrorReason | undefined;
  /** Of the HTTP answer. */
  readonly status: number;
  readonly challenges: readonly string[];
  readonly retryAfterSeconds: number | undefined;
}

/** The same error that the peer's executor or library threw: decided by ErrorInfo, then by the binding's code, then by the HTTP status. */
export function fromReport(report: ReportedError): A2AError {
  const message = typeof report.message === 'string' ? report.message : undefined;
  const details = detailsOf(report.details);
  const named = findDetail(details, 'ErrorInfo')?.['reason'];
  if (report.retryAfterSeconds !== undefined && !findDetail(details, 'RetryInfo')) {
    details.push(retryInfo(report.retryAfterSeconds));
  }
  const error =
    (typeof named === 'string' ? fromReason(named, message, details) : undefined) ??
    fromReason(report.reason ?? reasonOf(report.status), message, details)!;
  return error instanceof UnauthenticatedError ? withChallenges(error, report.challenges) : error;
}

/** The reason with this code; where there are several, the one with this HTTP status, else the one that JSON-RPC itself knows. */
export function reasonOfCode(code: unknown, status: number): ErrorReason | undefined {
  const rows: [string, ErrorRow][] = Object.entries(ERRORS);
  const same = rows.filter(([, row]) => row.code === code);
  const found =
    same.find(([, row]) => row.httpStatus === status) ?? same.find(([, row]) => !row.keepsHttpStatus);
  return found?.[0] as ErrorReason | undefined;
}

function reasonOf(status: number): ErrorReason {
  return status >= 400 ? fromHttpStatus(status).reason : 'INTERNAL';
}

function detailsOf(value: unknown): ErrorDetail[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter(
    (detail): detail is ErrorDetail => isObject(detail) && typeof detail['@type'] === 'string',
  );
}

function withChallenges(error: UnauthenticatedError, challenges: readonly string[]): A2AError {
  const { message, metadata, details } = error;
  return new UnauthenticatedError(message, { metadata, details: details.slice(1), challenges });
}
