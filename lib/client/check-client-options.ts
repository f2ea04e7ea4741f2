import { badNumbers } from '../interfaces/bad-numbers.js';
import type { A2AClientOptions } from './client-options.js';

/** Throws TypeError for numbers that are none or below zero, as most of them are limits. */
export function checkClientOptions(options: A2AClientOptions): void {
  const { timeouts, retry, resume, maxAnswerBytes, maxEventLength } = options;
  const problems = [
    ...badNumbers({ maxAnswerBytes, maxEventLength }),
    ...badNumbers(timeouts, 'timeouts.'),
    ...badNumbers(retry, 'retry.'),
    ...(typeof resume === 'object' ? badNumbers(resume, 'resume.') : []),
  ];
  if (problems.length > 0) throw new TypeError(problems.join('; '));
}
