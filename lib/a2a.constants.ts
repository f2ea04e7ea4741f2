import type { InjectionToken } from '@nestjs/common';
import type { A2AModuleExtras } from './interfaces/module-options.js';

/** Token of the options that are known before any provider exists. */
export const A2A_EXTRAS: InjectionToken<Required<A2AModuleExtras>> = Symbol('A2A_EXTRAS');
