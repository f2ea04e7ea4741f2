import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { OwnerSlots } from '../interfaces/owner-slots.js';

/** The tasks that this process works on, by owner. */
@Injectable()
export class RunSlots extends OwnerSlots {
  constructor(@Inject(A2A_OPTIONS) { limits }: ResolvedOptions) {
    super('tasks that run', { perOwner: limits.runsPerOwner, total: limits.runs });
  }
}
