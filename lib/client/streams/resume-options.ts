import { defined } from '../../interfaces/defined.js';

/** How a stream goes on that ended before its story did. Times in ms. */
export interface ResumeOptions {
  /** Attempts in a row that bring nothing new, before StreamInterruptedError. Default 10. */
  readonly maxAttempts: number;
  /** Longest pause before the first attempt after something new. Each attempt in vain doubles it; chance shortens it. Default 200. */
  readonly initialDelayMs: number;
  /** Longest pause before any attempt. A connection that stood longer counts as something new. Default 15 000. */
  readonly maxDelayMs: number;
  /** Longest pause between two looks at a task whose agent does not stream. Default 5 000. */
  readonly maxPollMs: number;
}

const DEFAULTS: ResumeOptions = {
  maxAttempts: 10,
  initialDelayMs: 200,
  maxDelayMs: 15_000,
  maxPollMs: 5_000,
};

/** What a call says, before what its client says, before the defaults; undefined where streams are not to be resumed. */
export function resolveResume(
  call: boolean | Partial<ResumeOptions> | undefined,
  client: boolean | Partial<ResumeOptions> | undefined,
): ResumeOptions | undefined {
  const chosen = call ?? client ?? true;
  if (chosen === false) return undefined;
  return { ...DEFAULTS, ...partial(client), ...partial(call) };
}

function partial(options: boolean | Partial<ResumeOptions> | undefined): Partial<ResumeOptions> {
  return typeof options === 'object' ? defined(options) : {};
}
