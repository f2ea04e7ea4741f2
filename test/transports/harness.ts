import type { AddressInfo } from 'node:net';
import { Module, type INestApplication, type ModuleMetadata, type Provider, type Type } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AgentGuard, AgentInterceptor } from '../../lib/guards/agent-enhancers.js';
import { AppGuards } from '../../lib/guards/app-guards.js';
import { EnhancerResolver } from '../../lib/guards/enhancer-resolver.js';
import { LoggerAudit } from '../../lib/guards/logger-audit.js';
import { SchemeSecurity } from '../../lib/guards/scheme-security.js';
import { SkillEnhancers } from '../../lib/guards/skill-enhancers.js';
import { A2AAudit } from '../../lib/interfaces/audit.js';
import type { AgentFeature } from '../../lib/interfaces/agent-options.js';
import { AgentRegistry, type AgentDefinition } from '../../lib/interfaces/agent-registry.js';
import { A2A_OPTIONS, type A2AModuleOptions } from '../../lib/interfaces/module-options.js';
import { RequestHandler } from '../../lib/interfaces/request-handler.js';
import { resolveOptions } from '../../lib/interfaces/resolve-options.js';
import {
  ServerCallContextBuilder,
  type CallRequest,
  type ServerCallContext,
} from '../../lib/interfaces/server-call-context.js';
import { SkillRouter } from '../../lib/interfaces/skill-router.js';
import type { EventStream, NumberedEvent } from '../../lib/interfaces/task-reader.js';
import type { AgentCard, SendMessageRequest, StreamResponse, Task } from '../../lib/protocol/model.js';
import { SkillSelection } from '../../lib/request-handler/skill-selection.js';
import { A2AExceptionFilter } from '../../lib/transports/a2a-exception.filter.js';
import { A2APaths } from '../../lib/transports/a2a-paths.js';
import { createAgentControllers } from '../../lib/transports/agent-controller.js';
import { AgentEndpoint } from '../../lib/transports/agent-endpoint.js';
import { BodyReader } from '../../lib/transports/body-reader.js';
import { CallGate } from '../../lib/transports/call-gate.js';
import { OpenStreams } from '../../lib/transports/open-streams.js';
import { OperationDispatcher } from '../../lib/transports/operation-dispatcher.js';
import { Refusals } from '../../lib/transports/refusals.js';

export type Platform = 'fastify' | 'express';
export const PLATFORMS: readonly Platform[] = ['fastify', 'express'];

/** A stream that a test feeds. */
export class FedStream implements EventStream {
  closed = false;
  #batches: (readonly NumberedEvent[] | Error)[] = [];
  #sequence = 0;
  #wake: (() => void) | undefined;
  #ended = false;

  push(...events: StreamResponse[]): this {
    this.#batches.push(events.map((event) => ({ sequence: ++this.#sequence, event })));
    this.#wake?.();
    return this;
  }

  fail(error: Error): this {
    this.#batches.push(error);
    this.#wake?.();
    return this;
  }

  end(): this {
    this.#ended = true;
    this.#wake?.();
    return this;
  }

  get waiting(): number {
    return this.#batches.length;
  }

  async read(): Promise<readonly NumberedEvent[] | undefined> {
    for (;;) {
      if (this.closed) return undefined;
      const next = this.#batches.shift();
      if (next instanceof Error) throw next;
      if (next) return next;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  finish(): void {
    this.end();
  }

  close(): void {
    this.closed = true;
    this.#wake?.();
  }
}

export const task = (id = 't1'): Task => ({ id, contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } });

type Answer = (request: never, call: ServerCallContext, lastEventId?: number) => unknown;

/** Answers what a test says, and notes what it was asked. */
export class StubHandler {
  readonly calls: { method: string; request: unknown; call: ServerCallContext; lastEventId?: number }[] = [];
  answers: Record<string, Answer> = {};

  constructor() {
    return new Proxy(this, {
      get(target, method: string | symbol) {
        if (typeof method === 'symbol' || method in target || method === 'then')
          return Reflect.get(target, method);
        if (/^on[A-Z]|^before/.test(method)) return undefined;
        return async (request: never, call: ServerCallContext, lastEventId?: number) => {
          target.calls.push({ method, request, call, ...(lastEventId !== undefined && { lastEventId }) });
          return (target.answers[method] ?? (() => ({ id: 'x' })))(request, call, lastEventId);
        };
      },
    });
  }
}

export class StubAgent {}

export const card = (changes: Partial<AgentCard> = {}): AgentCard => ({
  name: 'Stub',
  description: 'A stub',
  version: '1',
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  ...changes,
});

export const definition = (changes: Partial<AgentDefinition> = {}): AgentDefinition => ({
  id: 'StubAgent',
  target: StubAgent,
  options: { name: 'Stub', description: 'A stub', version: '1' },
  skills: [],
  path: 'a2a',
  wellKnown: true,
  card: card(),
  ...changes,
});

class Contexts extends ServerCallContextBuilder {
  build({ request: _, ...call }: CallRequest): ServerCallContext {
    return { ...call, user: null, headers: {} };
  }
}

class Router extends SkillRouter {
  route(request: Parameters<SkillRouter['route']>[0], skills: Parameters<SkillRouter['route']>[1]) {
    return skills.find((skill) => skill.id === request.metadata?.['skillId']) ?? skills[0]!;
  }
}

/** The choice without what the log says of the task's skill. */
function selectSkill(registry: AgentRegistry, router: Router): Pick<SkillSelection, 'choose'> {
  return {
    choose: (request: SendMessageRequest, { agent }) => {
      const skills = registry.get(agent).skills.filter(({ method }) => method !== undefined);
      if (skills.length === 0) return undefined;
      return router.route(request, skills);
    },
  };
}

export interface AppOptions {
  readonly options?: A2AModuleOptions;
  readonly agents?: readonly AgentDefinition[];
  readonly features?: readonly AgentFeature[];
  readonly module?: ModuleMetadata;
  /** Path that RouterModule gives the module. */
  readonly modulePath?: string;
  readonly bodyParser?: boolean;
  readonly rawBody?: boolean;
  readonly configure?: (app: INestApplication) => unknown;
}

export interface TestApp {
  readonly app: INestApplication;
  readonly url: string;
  readonly port: number;
  readonly handler: StubHandler;
  readonly streams: OpenStreams;
  close(): Promise<void>;
}

/** The providers that the package's module registers, with stubs in the place of everything behind the transport. */
export async function startApp(platform: Platform, setup: AppOptions = {}): Promise<TestApp> {
  const handler = new StubHandler();
  const agents = setup.agents ?? [definition()];
  const features = setup.features ?? [{ agent: StubAgent }];
  const providers: Provider[] = [
    A2APaths,
    CallGate,
    BodyReader,
    OpenStreams,
    AgentEndpoint,
    OperationDispatcher,
    A2AExceptionFilter,
    EnhancerResolver,
    SkillEnhancers,
    AgentGuard,
    AgentInterceptor,
    AppGuards,
    SchemeSecurity,
    Refusals,
    { provide: A2AAudit, useClass: LoggerAudit },
    { provide: RequestHandler, useValue: handler },
    { provide: ServerCallContextBuilder, useClass: Contexts },
    { provide: SkillRouter, useClass: Router },
    { provide: SkillSelection, useFactory: selectSkill, inject: [AgentRegistry, SkillRouter] },
    { provide: A2A_OPTIONS, useValue: resolveOptions(setup.options ?? {}) },
    {
      provide: AgentRegistry,
      useValue: { list: () => agents, get: (id: string) => agents.find((agent) => agent.id === id) },
    },
  ];

  class TransportModule {
    constructor(private readonly streams: OpenStreams) {}
    beforeApplicationShutdown() {
      return this.streams.closeAll();
    }
  }
  Reflect.defineMetadata('design:paramtypes', [OpenStreams], TransportModule);
  Module({ providers, controllers: features.flatMap(createAgentControllers) as Type[] })(TransportModule);

  const module = await Test.createTestingModule({
    ...setup.module,
    imports: [
      TransportModule,
      ...(setup.modulePath
        ? [RouterModule.register([{ path: setup.modulePath, module: TransportModule }])]
        : []),
      ...(setup.module?.imports ?? []),
    ],
  }).compile();
  const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = module.createNestApplication(adapter as ExpressAdapter, {
    logger: false,
    bodyParser: setup.bodyParser ?? true,
    rawBody: setup.rawBody ?? false,
  });
  await setup.configure?.(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    app,
    port,
    url: `http://127.0.0.1:${port}`,
    handler,
    streams: app.get(OpenStreams, { strict: false }),
    close: () => app.close(),
  };
}

export const V1 = { 'A2A-Version': '1.0' };
export const JSON_V1 = { ...V1, 'Content-Type': 'application/json' };

export function sendParams(text = 'hi', extra: object = {}) {
  return { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] }, ...extra };
}

export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_V1, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return read(response);
}

export async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return read(await fetch(url, { method, headers: { ...V1, ...headers } }));
}

async function read(response: Response) {
  const text = await response.text();
  return { response, status: response.status, text, json: text === '' ? undefined : parse(text) };
}

function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const rpc = (method: string, params: unknown = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
