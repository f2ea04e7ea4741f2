import { describe } from 'vitest';
import type { Replicas } from '../support/replicas.js';
import { answersAcross } from './answers.js';
import { cancelsAcross } from './cancels.js';
import { followUpsAcross } from './follow-ups.js';
import { ownersAcross } from './owners.js';
import { retriesAcross } from './retries.js';
import { streamsAcross } from './streams.js';

/** Everything that holds for two replicas, whatever they share. */
export function allAcross(replicas: () => Replicas): void {
  describe('streams', () => streamsAcross(replicas));
  describe('cancels', () => cancelsAcross(replicas));
  describe('follow-ups', () => followUpsAcross(replicas));
  describe('answers', () => answersAcross(replicas));
  describe('owners', () => ownersAcross(replicas));
  describe('retries', () => retriesAcross(replicas));
}
