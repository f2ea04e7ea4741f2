import { badNumbers } from '../interfaces/bad-numbers.js';
import type { A2AClientOptions } from './client-options.js';

type NumericOptions = Pick<
  A2AClientOptions,
  'timeouts' | 'retry' | 'resume' | 'maxAnswerBytes' | 'maxEventLength'
>;

/** Throws TypeError for numbers of a client, or of one call, that are none or below zero, as most of them are limits. */
export function checkClientOptions(options: NumericOptions): void {
  const { timeouts, retry, resume, maxAnswerBytes, maxEventLength } = options;
  const problems = [
    ...badNumbers({ maxAnswerBytes, maxEventLength }),
    ...badNumbers(timeouts, 'timeouts.'),
    ...badNumbers(retry, 'retry.'),
    ...(typeof resume === 'object' ? badNumbers(resume, 'resume.') : []),
  ];
  if (problems.length > 0) throw new TypeError(problems.join('; '));
}
