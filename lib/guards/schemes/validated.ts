import { HttpException } from '@nestjs/common';
import type { SchemeOutcome } from '../../interfaces/security.js';
import { toUser } from '../../interfaces/to-user.js';

type Falsy = false | null | undefined;

/**
 * What a callback of the application answers about credentials: the user, as a name or an object with `id`, `scopes` and
 * other claims; nothing when the credentials are wrong.
 */
export type ValidatedUser = string | object | Falsy;

/** The outcome of such a callback. One that throws 401 or 403 refuses; anything else that it throws is a fault of the server. */
export async function validated(
  validate: () => ValidatedUser | Promise<ValidatedUser>,
): Promise<SchemeOutcome> {
  try {
    const user = toUser((await validate()) || null);
    return user ? { kind: 'accepted', user } : { kind: 'refused', reason: 'unknown' };
  } catch (error) {
    if (error instanceof HttpException && [401, 403].includes(error.getStatus())) {
      return { kind: 'refused', reason: 'unknown' };
    }
    throw error;
  }
}
