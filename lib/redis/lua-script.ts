import { createHash } from 'node:crypto';

/** A script that Redis runs as one atomic step. */
export class LuaScript {
  readonly sha: string;

  constructor(readonly source: string) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }
}
