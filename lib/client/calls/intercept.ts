import { UnauthenticatedError } from '../../protocol/errors.js';
import { untilAborted } from '../until-aborted.js';
import type { ClientInterceptor, OutgoingCall } from '../client-interceptor.js';

/**
 * One exchange with all interceptors around it: `before` in their order, `after` in the reverse. A 401 repeats it once when an interceptor has
 * other credentials by now.
 * @param outgoing makes the call that goes out, anew for every exchange.
 */
export async function intercepted<Call extends OutgoingCall, Answer>(
  interceptors: readonly ClientInterceptor[],
  outgoing: () => Call,
  run: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const call = outgoing();
  try {
    return await once(interceptors, call, run);
  } catch (error) {
    if (!(error instanceof UnauthenticatedError) || !(await haveOthers(interceptors, call, error)))
      throw error;
    return once(interceptors, outgoing(), run);
  }
}

async function once<Call extends OutgoingCall, Answer>(
  interceptors: readonly ClientInterceptor[],
  call: Call,
  run: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  for (const interceptor of interceptors) await untilAborted(interceptor.before?.(call), call.signal);
  let answer: Answer;
  try {
    answer = await run(call);
  } catch (error) {
    await tellAfter(interceptors, call, error);
    throw error;
  }
  await tellAfter(interceptors, call);
  return answer;
}

async function tellAfter(
  interceptors: readonly ClientInterceptor[],
  call: OutgoingCall,
  error?: unknown,
): Promise<void> {
  for (const interceptor of interceptors.toReversed()) await interceptor.after?.(call, error);
}

async function haveOthers(
  interceptors: readonly ClientInterceptor[],
  call: OutgoingCall,
  error: UnauthenticatedError,
): Promise<boolean> {
  for (const interceptor of interceptors) {
    if (await untilAborted(interceptor.unauthorized?.(call, error), call.signal)) return true;
  }
  return false;
}
