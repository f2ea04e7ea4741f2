import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard, Task } from 'nest-a2a';

export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

const TASK: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };

/** A server that keeps what it receives, and answers calls as an agent with one task, or as it is told. */
export class RecordingAgent {
  readonly requests: RecordedRequest[] = [];
  /** What the card has besides the usual. */
  card: Partial<AgentCard> = {};
  /** Answers calls in the place of the agent. */
  instead: Answer | undefined;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', headers, url = '' } = request;
      const body = Buffer.concat(chunks).toString();
      void this.#answer({ method, url: new URL(url, this.base), headers, body }, response);
    });
  });

  static async start(card: Partial<AgentCard> = {}): Promise<RecordingAgent> {
    const agent = new RecordingAgent();
    agent.card = card;
    await new Promise<void>((resolve) => agent.#server.listen(0, '127.0.0.1', resolve));
    return agent;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What came besides requests for the card. */
  get calls(): RecordedRequest[] {
    return this.requests.filter(({ url }) => !url.pathname.endsWith('.json'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    this.requests.push(request);
    if (request.url.pathname.endsWith('agent-card.json')) return json(response, 200, this.#card());
    if (this.instead) return this.instead(request, response);
    answerTask(request, response);
  }

  #card(): AgentCard {
    const url = this.base;
    return {
      name: 'Recorder',
      description: 'Keeps what it receives',
      version: '1',
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
      ...this.card,
    };
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The one task, or a stream of its end, over either binding. */
export function answerTask({ url, body }: RecordedRequest, response: ServerResponse): void {
  const { id, method } = (body ? JSON.parse(body) : {}) as { id?: number; method?: string };
  const isRpc = method !== undefined;
  const wrap = (result: unknown) => (isRpc ? { jsonrpc: '2.0', id, result } : result);
  const streams = /Subscribe|Streaming/.test(method ?? '') || /:(stream|subscribe)$/.test(url.pathname);
  const ended: Task = { ...TASK, status: { state: 'TASK_STATE_COMPLETED' } };
  if (streams) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`id: 1\ndata: ${JSON.stringify(wrap({ task: ended }))}\n\n`);
    return;
  }
  const sends = method === 'SendMessage' || url.pathname.endsWith('message:send');
  json(response, 200, wrap(sends ? { task: ended } : ended));
}

/** 401 over either binding. */
export function refuse(response: ServerResponse, status = 401): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer realm="a2a"' });
  response.end('No');
}
