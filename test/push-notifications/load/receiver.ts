import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse } from 'nest-a2a';

/** What came to one webhook. */
export interface Ledger {
  /** Accepted notifications, each once, in the order in which they were accepted first. */
  readonly accepted: Map<string, StreamResponse>;
  /** The id that came last, accepted or not. */
  last: string;
  /** Ids that came before the one before them was accepted. */
  readonly outOfOrder: string[];
}

/** A receiver that fails some of the requests, and keeps book of all. */
export class Receiver {
  readonly ledgers = new Map<string, Ledger>();
  requests = 0;
  refused = 0;
  /** Accepted more than once. */
  duplicates = 0;
  readonly #server: Server;

  /** @param failing which part of the requests, 0 to 1. */
  constructor(
    private readonly failing: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get accepted(): number {
    return [...this.ledgers.values()].reduce((sum, { accepted }) => sum + accepted.size, 0);
  }

  /** Webhooks that were told the end. */
  get ended(): number {
    return [...this.ledgers.values()].filter(({ accepted }) => endsWell(accepted)).length;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender was killed while it wrote.
      return;
    }
    this.requests += 1;
    const id = String(request.headers['x-a2a-notification-id']);
    const ledger = this.#ledger(request.url!);
    const isNew = !ledger.accepted.has(id);
    if (isNew && ledger.last !== '' && ledger.last !== id && !ledger.accepted.has(ledger.last))
      ledger.outOfOrder.push(id);
    ledger.last = id;
    if (this.random() < this.failing) {
      this.refused += 1;
      response.writeHead(500).end();
      return;
    }
    if (isNew) ledger.accepted.set(id, JSON.parse(Buffer.concat(chunks).toString()) as StreamResponse);
    else this.duplicates += 1;
    response.writeHead(200).end();
  }

  #ledger(path: string): Ledger {
    let ledger = this.ledgers.get(path);
    if (!ledger) {
      ledger = { accepted: new Map(), last: '', outOfOrder: [] };
      this.ledgers.set(path, ledger);
    }
    return ledger;
  }
}

function endsWell(accepted: ReadonlyMap<string, StreamResponse>): boolean {
  const { task, statusUpdate } = [...accepted.values()].at(-1) ?? {};
  return (statusUpdate ?? task)?.status.state === 'TASK_STATE_COMPLETED';
}
