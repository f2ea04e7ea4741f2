import type { Socket } from 'node:net';

/** A request as it came in. */
export interface HostileRequest {
  readonly method: string;
  /** Query included. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON; tests read into it without casts. */
  readonly json: any;
}

/** The requests of a connection, one after another, until the peer ends it. Only what clients of A2A send: bodies with a length, or in chunks. */
export async function* readRequests(socket: Socket): AsyncGenerator<HostileRequest, void, void> {
  const bytes = new ByteReader(socket);
  for (;;) {
    const head = await bytes.upTo('\r\n\r\n');
    if (head === undefined) return;
    const [start = '', ...lines] = head.split('\r\n');
    const [method = '', path = ''] = start.split(' ');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const body = await readBody(bytes, headers);
    yield { method, path, headers, body, json: body === '' ? undefined : JSON.parse(body) };
  }
}

async function readBody(bytes: ByteReader, headers: Readonly<Record<string, string>>): Promise<string> {
  if (headers['transfer-encoding'] !== 'chunked')
    return (await bytes.take(Number(headers['content-length'] ?? 0))).toString();
  const chunks: Buffer[] = [];
  for (;;) {
    const size = Number.parseInt((await bytes.upTo('\r\n')) ?? '0', 16);
    chunks.push(await bytes.take(size));
    await bytes.upTo('\r\n');
    if (size === 0) return Buffer.concat(chunks).toString();
  }
}

/** Reads all the time, so that the socket notices when its peer leaves. */
class ByteReader {
  #pending: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.#pending = Buffer.concat([this.#pending, chunk]);
      this.#wake();
    });
    for (const event of ['end', 'close']) {
      socket.once(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  /** What comes before the mark, which is taken away too; undefined at the end. */
  async upTo(mark: string): Promise<string | undefined> {
    for (;;) {
      const at = this.#pending.indexOf(mark);
      if (at >= 0) {
        const text = this.#pending.subarray(0, at).toString();
        this.#pending = this.#pending.subarray(at + mark.length);
        return text;
      }
      if (!(await this.#more())) return undefined;
    }
  }

  async take(length: number): Promise<Buffer> {
    while (this.#pending.length < length && (await this.#more()));
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }

  /** Waits for more bytes; false at the end. */
  async #more(): Promise<boolean> {
    if (this.#ended) return false;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    return !this.#ended;
  }
}
