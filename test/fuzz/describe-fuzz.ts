import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRouter, isDecodable, type Outcome } from './checks.js';
import type { RawAnswer } from './exchange.js';
import type { FuzzRequest } from './fuzz-request.js';
import { Target } from './target.js';

/** Malformed requests to one binding on one platform. */
const MALFORMED = Number(process.env['FUZZ_RUNS'] ?? 10_000);
/** Requests that are sent at the same time, at most. */
const AT_ONCE = 64;
/** Groups of requests, of 30 on average, with some to spare: valid ones do not count. */
const GROUPS = Math.ceil(MALFORMED / 15);
/** Repeats a run: FUZZ_SEED=… as the title of the failed test says. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
/** Everything else is an error of the binding. */
const NO_ERRORS: readonly Outcome[] = ['success', 'stream', 'notification', 'head', 'router'];

/** One binding: where it is, what is sent to it, and what its answers must look like. */
export interface Fuzz {
  readonly base: string;
  readonly request: fc.Arbitrary<FuzzRequest>;
  readonly check: (request: FuzzRequest, answer: RawAnswer) => Outcome;
  /** What must have come at least once, or the requests are not as various as they should be. */
  readonly expected: readonly Outcome[];
}

/** Sends malformed requests to a binding on both platforms, and looks at the server afterwards. */
export function describeFuzz(name: string, { base, request, check, expected }: Fuzz): void {
  describe.each(['fastify', 'express'])(`${name} on %s, FUZZ_SEED=${SEED}`, (adapter) => {
    const outcomes = new Map<Outcome, number>();
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    let target: Target;

    beforeAll(async () => {
      process.on('unhandledRejection', note);
      target = await Target.start(adapter);
    });

    afterAll(async () => {
      process.off('unhandledRejection', note);
      await target?.close();
    });

    async function probe(sent: FuzzRequest): Promise<void> {
      const answer = await target.send(base, sent);
      if (!answer || sent.leaves !== 'never') return;
      try {
        const whole = { ...sent, body: sent.body && target.fillIn(sent.body) };
        const outcome =
          adapter === 'fastify' && !isDecodable(sent.path) ? checkRouter(sent, answer) : check(whole, answer);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      } catch (error) {
        const { status, headers, text } = answer;
        const got = `${status} ${headers['content-type']} ${text.slice(0, 1_000)}`;
        throw new Error(`${String(error)}\n${JSON.stringify(sent)}\n${got}`, { cause: error });
      }
    }

    /** Answers that were errors. */
    function malformed(): number {
      const counts = [...outcomes].filter(([outcome]) => !NO_ERRORS.includes(outcome)).map(([, n]) => n);
      return counts.reduce((sum, n) => sum + n, 0);
    }

    it('answers whatever comes in the shape of the binding', { timeout: 120_000 }, async () => {
      const group = fc.array(request, { minLength: 1, maxLength: AT_ONCE, size: 'max' });
      const property = fc.asyncProperty(group, async (sent) => {
        if (malformed() >= MALFORMED) return;
        await target.refresh();
        await Promise.all(sent.map(probe));
      });
      await fc.assert(property, { seed: SEED, numRuns: GROUPS, interruptAfterTimeLimit: 100_000 });
    });

    it('was sent enough that is malformed, in enough ways', () => {
      expect(malformed()).toBeGreaterThanOrEqual(MALFORMED);
      expect([...outcomes.keys()]).toEqual(expect.arrayContaining([...expected]));
    });

    it('is well afterwards: it answers, and holds no stream, no watcher and no task that goes on', async () => {
      await target.cancelLive();
      expect(await target.quick()).toBe('TASK_STATE_COMPLETED');
      await expect.poll(() => target.unrest(), { timeout: 10_000 }).toEqual([]);
      expect(target.errors).toEqual([]);
      expect(rejections).toEqual([]);
    });
  });
}
