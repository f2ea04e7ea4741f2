import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  Module,
} from '@nestjs/common';
import type { DynamicModule, LoggerService, Provider, Type } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { A2AModule, type AgentFeature } from 'nest-a2a';
import { createAdapter } from '../../fixtures/serve.js';
import { type Binding, Peer } from './peer.js';

export const PLATFORMS = ['fastify', 'express'] as const;
export type Platform = (typeof PLATFORMS)[number];

export type ModuleOptions = NonNullable<Parameters<typeof A2AModule.forRoot>[0]>;

/** A small application with agents of a test. */
export interface AppSetup {
  readonly agents: readonly (Type | AgentFeature)[];
  readonly options?: ModuleOptions;
  readonly providers?: readonly Provider[];
  /** Modules of adapters. */
  readonly imports?: readonly DynamicModule[];
  readonly logger?: LoggerService;
  /** Called before the application listens. */
  readonly configure?: (app: INestApplication) => void;
}

export interface ServedApp {
  readonly app: INestApplication;
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
  /** A peer of the agent at `a2a`, or at another path. */
  peer(binding?: Binding, path?: string): Peer;
  close(): Promise<void>;
}

export async function serveApp(platform: Platform, setup: AppSetup): Promise<ServedApp> {
  const { agents, options, providers = [], imports = [], logger = false, configure } = setup;
  const classes = agents.map((agent) => (typeof agent === 'function' ? agent : agent.agent));

  @Module({
    imports: [...imports, A2AModule.forRoot(options), A2AModule.forFeature(agents)],
    providers: [...new Set(classes), ...providers],
  })
  class TestAppModule {}

  const app = await NestFactory.create(TestAppModule, createAdapter(platform), {
    logger,
    abortOnError: false,
  });
  configure?.(app);
  await app.listen(0, '127.0.0.1');
  const base = await app.getUrl();
  const peer = (binding: Binding = 'JSONRPC', path = 'a2a') => new Peer(`${base}/${path}`, binding);
  return { app, base, peer, close: () => app.close() };
}

/** Whoever says `Bearer user:NAME` is NAME; who says nothing stays unknown, and is let in. */
@Injectable()
class OptionalUserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: { authorization?: string }; user?: unknown }>();
    const name = /^Bearer user:(.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (name) request.user = { id: name };
    return true;
  }
}

export const OPTIONAL_USERS: Provider = { provide: APP_GUARD, useClass: OptionalUserGuard };

/** Gathers what is logged, as text. */
export class LogBook implements LoggerService {
  readonly lines: string[] = [];

  log(): void {}
  warn(...message: unknown[]): void {
    this.lines.push(message.map(String).join(' '));
  }
  error(...message: unknown[]): void {
    this.lines.push(message.map(String).join(' '));
  }
  get text(): string {
    return this.lines.join('\n');
  }
}
