import { Injectable } from '@nestjs/common';
import { OwnerResolver } from '../../interfaces/owner-resolver.js';
import type { ServerCallContext } from '../../interfaces/server-call-context.js';

const NOBODY = JSON.stringify(['', null]);

/** A user owns what they create, apart in each tenant. Callers whom nobody authenticated share one owner in each tenant. */
@Injectable()
export class TenantOwnerResolver extends OwnerResolver {
  /** Who called last: several steps of a call ask, and callers often come again. */
  #last = { tenant: '', id: '', owner: JSON.stringify(['', '']) };

  override resolve({ tenant, user }: ServerCallContext): string {
    if (tenant === '' && !user) return NOBODY;
    // JSON, so that no choice of names makes two owners one.
    if (!user) return JSON.stringify([tenant, null]);
    const { id } = user;
    if (this.#last.tenant !== tenant || this.#last.id !== id)
      this.#last = { tenant, id, owner: JSON.stringify([tenant, id]) };
    return this.#last.owner;
  }
}
