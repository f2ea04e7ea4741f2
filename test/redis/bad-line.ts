import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A line to a server that can be cut, blocked, or lose an answer. */
export class BadLine implements AsyncDisposable {
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>();
  readonly #server = createServer((client) => this.#accept(client));
  #marker: string | undefined;
  #blocked = false;
  /** Connections that were cut so far. */
  cuts = 0;

  private constructor(private readonly target: URL) {}

  static async to(url: string): Promise<BadLine> {
    const line = new BadLine(new URL(url));
    await line.#listen(0);
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Cuts all connections; new ones are accepted. */
  cut(): void {
    for (const pair of this.#pairs) this.#drop(pair);
  }

  /** The next request that contains the marker reaches the server, and its answer does not come back: the connection is cut. */
  loseAnswerTo(marker: string): void {
    this.#marker = marker;
  }

  /** Holds everything back without a word, as a line whose other end vanished. */
  block(blocked: boolean): void {
    this.#blocked = blocked;
    for (const socket of [...this.#pairs].flat()) {
      if (blocked) socket.pause();
      else socket.resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.target.port || 6379), this.target.hostname);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    let losing = false;
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => this.#drop(pair));
      if (this.#blocked) socket.pause();
    }
    client.on('data', (data) => {
      if (this.#marker !== undefined && data.includes(this.#marker)) {
        losing = true;
        this.#marker = undefined;
      }
      server.write(data);
    });
    server.on('data', (data) => (losing ? this.#drop(pair) : client.write(data)));
  }

  #drop(pair: readonly [Socket, Socket]): void {
    if (!this.#pairs.delete(pair)) return;
    this.cuts += 1;
    for (const socket of pair) socket.destroy();
  }
}
