import type { IncomingHttpHeaders } from 'node:http';
import type { HttpExchange } from './http-exchange.js';
import type { Body } from './read-body.js';

/** The platform's own request. */
export interface PlatformRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What is known of an HTTP request: a copy, since headers change on their way through the platform. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request whose body is read apart from the parsers of the host. */
export interface Admitted {
  readonly http: HttpRequest;
  /** Set before any guard runs. */
  body: Body;
}

/** Stands before all routes and picks requests out. */
export interface BodyGate<Taken extends Admitted = Admitted> {
  /** Largest body in bytes. */
  readonly bodyLimit: number;
  /** Undefined for a request that is none of its business, which passes untouched. */
  admit(request: PlatformRequest): Taken | undefined;
  /** Answers what no route could; true when answered. */
  answerEarly(taken: Taken, exchange: HttpExchange): boolean;
}

const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'TRACE']);

/** Whether a parser would be asked for the body of a request. */
export function mayHaveBody({ http }: Admitted): boolean {
  return !BODYLESS.has(http.method);
}
