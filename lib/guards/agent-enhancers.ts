import { Injectable, type CallHandler, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { NestInterceptor, Type } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import { GuardsConsumer, InterceptorsConsumer } from '@nestjs/core/internal';
import { lastValueFrom, type Observable } from 'rxjs';
import { getAgentFeature } from './agent-feature.js';
import { EnhancerResolver } from './enhancer-resolver.js';

/** Runs the guards of an executor's class in front of its generated controllers, where they see the class. */
@Injectable()
export class AgentGuard implements CanActivate {
  readonly #consumer = new GuardsConsumer();

  constructor(private readonly resolver: EnhancerResolver) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const target = executorOf(context);
    const [request] = context.getArgs<[unknown]>();
    const guards = await this.resolver.resolve<CanActivate>(GUARDS_METADATA, target, target, request);
    return this.#consumer.tryActivate(
      guards,
      context.getArgs(),
      target.prototype,
      handlerOf(context),
      'http',
    );
  }
}

/** Runs the interceptors of an executor's class around its generated controllers. */
@Injectable()
export class AgentInterceptor implements NestInterceptor {
  readonly #consumer = new InterceptorsConsumer();

  constructor(private readonly resolver: EnhancerResolver) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const target = executorOf(context);
    const [request] = context.getArgs<[unknown]>();
    const interceptors = await this.resolver.resolve<NestInterceptor>(
      INTERCEPTORS_METADATA,
      target,
      target,
      request,
    );
    if (interceptors.length === 0) return next.handle();
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return this.#consumer.intercept(
      interceptors,
      context.getArgs(),
      target.prototype,
      handlerOf(context),
      handle,
      'http',
    ) as Promise<Observable<unknown>>;
  }
}

function executorOf(context: ExecutionContext): Type {
  const feature = getAgentFeature(context.getClass());
  if (!feature) throw new Error(`${context.getClass().name} is not the controller of an agent`);
  return feature.agent;
}

function handlerOf(context: ExecutionContext) {
  return context.getHandler() as (...args: unknown[]) => unknown;
}
