import { InvalidRequestError, MethodNotAllowedError, RouteNotFoundError } from '../protocol/errors.js';
import { OPERATIONS, type HttpRule, type OperationName } from '../protocol/operations.js';

/** Where a path of HTTP+JSON leads. */
export interface RestRoute {
  readonly operation: OperationName;
  /** What the path sets in the request: `tenant`, `id`, `taskId`. */
  readonly path: Readonly<Record<string, string>>;
}

/** A segment of a rule: fixed text, or a member's name and what must follow the member's value. */
type Segment = string | { readonly name: string; readonly suffix: string };

interface Rule {
  readonly operation: OperationName;
  readonly verbs: readonly string[];
  readonly segments: readonly Segment[];
}

const RULES: readonly Rule[] = Object.entries(OPERATIONS).map(([operation, { http }]) => ({
  operation: operation as OperationName,
  verbs: (http satisfies HttpRule).verbs,
  segments: http.path.slice(1).split('/').map(readSegment),
}));

function readSegment(text: string): Segment {
  const match = /^\{(\w+)\}(.*)$/.exec(text);
  return match ? { name: match[1]!, suffix: match[2]! } : text;
}

/**
 * Finds the operation of a path (spec §11.3; OPERATIONS has the rules). Segments are decoded before they are compared,
 * so `%3A` is a colon; the verb starts at the last one, so ids may contain colons too. A first segment that makes no
 * sense otherwise is the tenant.
 * @param rest what follows the binding's path, as sent.
 * @throws RouteNotFoundError, MethodNotAllowedError (its metadata say which methods there are), InvalidRequestError.
 */
export function findRoute(method: string, rest: string): RestRoute {
  const segments = decode(rest);
  const [tenant, ...others] = segments;
  const matches = [...match(segments, {}), ...(tenant && others.length > 0 ? match(others, { tenant }) : [])];
  const found = matches.find(({ rule }) => rule.verbs.includes(method));
  if (found) return { operation: found.rule.operation, path: found.path };
  if (matches.length === 0) throw new RouteNotFoundError();
  const allow = [...new Set(matches.flatMap(({ rule }) => rule.verbs))].join(', ');
  throw new MethodNotAllowedError(`The path takes ${allow}`, { metadata: { allow } });
}

function decode(rest: string): string[] {
  try {
    const segments = rest.split('/').slice(1).map(decodeURIComponent);
    if (segments.at(-1) === '') segments.pop();
    return segments;
  } catch {
    throw new InvalidRequestError('The path has a malformed percent-encoding');
  }
}

function match(segments: readonly string[], path: Readonly<Record<string, string>>) {
  const matches: { rule: Rule; path: Record<string, string> }[] = [];
  for (const rule of RULES) {
    const values = matchRule(rule.segments, segments);
    if (values) matches.push({ rule, path: { ...path, ...values } });
  }
  // GET /tasks/x:subscribe is a subscription, not the task with the id `x:subscribe`.
  return matches.sort((a, b) => specificity(b.rule) - specificity(a.rule));
}

function matchRule(pattern: readonly Segment[], segments: readonly string[]) {
  if (pattern.length !== segments.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index]!;
    if (typeof expected === 'string') {
      if (segment !== expected) return undefined;
    } else {
      const { name, suffix } = expected;
      if (!segment.endsWith(suffix) || segment.length === suffix.length) return undefined;
      values[name] = segment.slice(0, segment.length - suffix.length);
    }
  }
  return values;
}

function specificity({ segments }: Rule): number {
  return segments.filter((segment) => typeof segment !== 'string' && segment.suffix !== '').length;
}
