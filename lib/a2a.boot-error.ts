import { BOOT_FAILED } from './a2a.messages.js';

/**
 * The agents of an application are not set up right; it does not start.
 *
 * @publicApi
 */
export class A2ABootError extends Error {
  override readonly name = 'A2ABootError';

  /** @param problems all that is wrong, each with how to mend it. */
  constructor(readonly problems: readonly string[]) {
    super(BOOT_FAILED(problems));
  }
}
