import { connect, type Socket } from 'node:net';

/** An SSE client on a bare socket, which shows what arrives and when. */
export class RawClient {
  text = '';
  readonly socket: Socket;
  /** So that a long text need not be put together for each look at its end. */
  #tail = '';
  #waiters: (() => void)[] = [];

  constructor(port: number, method: string, path: string, body = '', headers: Record<string, string> = {}) {
    this.socket = connect(port, '127.0.0.1');
    const lines = Object.entries({ 'A2A-Version': '1.0', 'Content-Type': 'application/json', ...headers });
    this.socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        lines.map(([name, value]) => `${name}: ${value}\r\n`).join('') +
        `\r\n${body}`,
    );
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString();
      this.#tail = (this.#tail + chunk.toString()).slice(-16);
      this.wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.wake());
  }

  /** Resolves when what has arrived matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.socket.closed) throw new Error(`closed before ${pattern}: ${this.text}`);
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.text;
  }

  /** Resolves when the response has ended, or the connection has. */
  async ended(): Promise<string> {
    while (!this.socket.closed && !this.#tail.endsWith('\r\n0\r\n\r\n')) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.text;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1]);
  }

  /** The JSON of all data lines so far. */
  get data(): unknown[] {
    return [...this.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!));
  }

  get ids(): string[] {
    return [...this.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
  }

  private wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter();
  }
}
