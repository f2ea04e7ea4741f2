import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** An answer that fits in one piece. */
export interface UnaryAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The response side of a request, the same on every platform. */
export interface HttpExchange {
  readonly response: ServerResponse;
  /** Whether an answer, or the head of one, has been given to the platform. */
  readonly answered: boolean;
  hasHeader(name: string): boolean;
  setHeader(name: string, value: string): void;
  /** Adds names of request headers that the answer depends on. */
  vary(names: readonly string[]): void;
  /** Answers through the platform, so that the host's hooks and middleware see the answer. Does nothing when answered. */
  answer(answer: UnaryAnswer): void;
  /** Answers without a body. */
  end(status: number): void;
  /** Takes the response over and sends its head. */
  open(headers: OutgoingHttpHeaders): ServerResponse;
}

/** What is used of a Fastify reply; Fastify itself may not be installed. */
interface Reply {
  readonly raw: ServerResponse;
  readonly sent: boolean;
  hasHeader(name: string): boolean;
  getHeaders(): OutgoingHttpHeaders;
  header(name: string, value: string): this;
  code(status: number): this;
  send(body?: string): this;
  hijack(): this;
}

/** Wraps the platform's own response, as controllers and filters get it. */
export function httpExchange(response: unknown): HttpExchange {
  return isReply(response) ? new FastifyExchange(response) : new NodeExchange(response as ServerResponse);
}

function isReply(response: unknown): response is Reply {
  return typeof (response as Reply).hijack === 'function';
}

class FastifyExchange implements HttpExchange {
  readonly response: ServerResponse;

  constructor(private readonly reply: Reply) {
    this.response = reply.raw;
  }

  get answered(): boolean {
    return this.reply.sent;
  }

  hasHeader(name: string): boolean {
    return this.reply.hasHeader(name) || this.response.hasHeader(name);
  }

  setHeader(name: string, value: string): void {
    this.reply.header(name, value);
  }

  vary(names: readonly string[]): void {
    const own = this.reply.getHeaders()['vary'];
    this.reply.header('vary', joinVary([own, this.response.getHeader('vary')], names));
  }

  answer({ status, contentType, body }: UnaryAnswer): void {
    if (!this.answered) this.reply.code(status).header('content-type', contentType).send(body);
  }

  end(status: number): void {
    if (!this.answered) this.reply.code(status).send();
  }

  open(headers: OutgoingHttpHeaders): ServerResponse {
    this.reply.hijack();
    // Hooks of the host left theirs on the reply, middleware on the raw response.
    return this.response.writeHead(200, { ...this.reply.getHeaders(), ...headers });
  }
}

/** Express, whose response is Node's own. */
class NodeExchange implements HttpExchange {
  constructor(readonly response: ServerResponse) {}

  get answered(): boolean {
    return this.response.headersSent || this.response.writableEnded;
  }

  hasHeader(name: string): boolean {
    return this.response.hasHeader(name);
  }

  setHeader(name: string, value: string): void {
    this.response.setHeader(name, value);
  }

  vary(names: readonly string[]): void {
    this.response.setHeader('vary', joinVary([this.response.getHeader('vary')], names));
  }

  answer({ status, contentType, body }: UnaryAnswer): void {
    if (this.answered) return;
    this.response.statusCode = status;
    this.response.setHeader('content-type', contentType);
    this.response.setHeader('content-length', Buffer.byteLength(body));
    this.response.end(body);
  }

  end(status: number): void {
    if (this.answered) return;
    this.response.statusCode = status;
    this.response.end();
  }

  open(headers: OutgoingHttpHeaders): ServerResponse {
    return this.response.writeHead(200, headers);
  }
}

function joinVary(present: readonly unknown[], names: readonly string[]): string {
  const known = present.flat().flatMap((value) => (value === undefined ? [] : String(value).split(/, */)));
  const lower = known.map((name) => name.toLowerCase());
  return [...known, ...names.filter((name) => !lower.includes(name.toLowerCase()))].join(', ');
}
