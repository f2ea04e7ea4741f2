import { safeEqual } from '../../protocol/safe-equal.js';
import type { ExpectedSecret } from '../webhook-options.js';

/** Compares what a notification brings with what is expected. */
export class SecretMatcher {
  constructor(private readonly expected: ExpectedSecret) {}

  /** Whether it is wrong whatever the body says, so that nobody needs to read it. */
  excludes(given: string | undefined): boolean {
    if (given === undefined) return true;
    const { expected } = this;
    return isConstant(expected) && !isOneOf(given, [expected].flat());
  }

  /** Throws what the application's function throws. */
  async accepts(given: string | undefined, taskId: string | undefined): Promise<boolean> {
    if (given === undefined) return false;
    const { expected } = this;
    if (isConstant(expected)) return isOneOf(given, [expected].flat());
    if (typeof expected === 'object') return (await expected.validate(given, taskId)) === true;
    if (taskId === undefined) return false;
    const secret = await expected(taskId);
    return typeof secret === 'string' && secret !== '' && safeEqual(given, secret);
  }
}

function isConstant(expected: ExpectedSecret): expected is string | readonly string[] {
  return typeof expected === 'string' || Array.isArray(expected);
}

/** Looks at all of them, so that its duration does not tell which it was. */
function isOneOf(given: string, secrets: readonly string[]): boolean {
  return secrets.filter((secret) => safeEqual(given, secret)).length > 0;
}
