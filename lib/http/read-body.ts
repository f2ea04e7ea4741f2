import type { Readable } from 'node:stream';

/** The bytes of a body, or why there are none. */
export type Body = Buffer | 'too large' | 'aborted';

export const NO_BODY: Body = Buffer.alloc(0);

/**
 * Reads a body up to a limit. It never rejects: whoever answers the request tells what was wrong, in the shape that
 * its binding has for errors. What exceeds the limit is thrown away as it arrives, so that the connection stays usable.
 */
export function readBody(stream: Readable, limit: number, length: string | undefined): Promise<Body> {
  if (Number(length) > limit) {
    stream.resume();
    return Promise.resolve('too large');
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // The listeners stay, and go with the request: what comes after the first outcome changes nothing.
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      resolve('too large');
    });
    stream.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    stream.on('close', () => resolve('aborted'));
    stream.on('error', () => resolve('aborted'));
  });
}
