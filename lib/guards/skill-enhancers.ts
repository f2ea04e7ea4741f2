import {
  ForbiddenException,
  Injectable,
  type CanActivate,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import { FORBIDDEN_MESSAGE, GuardsConsumer, InterceptorsConsumer } from '@nestjs/core/internal';
import { isObservable, lastValueFrom } from 'rxjs';
import { EnhancerResolver } from './enhancer-resolver.js';

type Method = (...args: unknown[]) => unknown;

/**
 * Runs the guards and interceptors of a skill's method around the operation that chose the skill: once per send, before
 * anything is written. Those of the class and the global ones have run by then, at the controller. Exception filters of
 * a skill's method do not apply, as the transport shapes all errors.
 */
@Injectable()
export class SkillEnhancers {
  readonly #guards = new GuardsConsumer();
  readonly #interceptors = new InterceptorsConsumer();

  constructor(private readonly resolver: EnhancerResolver) {}

  /**
   * @param method name of the skill's method; without one `operate` is simply called.
   * @param args request and response of the platform, for ExecutionContext.
   * @returns what `operate` resolved to: an interceptor may observe, delay or throw, but not change it.
   * @throws ForbiddenException when a guard says no, and whatever guards, interceptors and `operate` throw.
   */
  run<T>(
    target: Type,
    method: string | undefined,
    args: readonly unknown[],
    operate: () => Promise<T>,
  ): Promise<T> {
    const handler = method === undefined ? undefined : methodOf(target, method);
    return handler && isEnhanced(handler) ? this.runEnhanced(target, handler, args, operate) : operate();
  }

  private async runEnhanced<T>(
    target: Type,
    handler: Method,
    args: readonly unknown[],
    operate: () => Promise<T>,
  ): Promise<T> {
    await this.guard(target, handler, args);
    return this.intercept(target, handler, args, operate);
  }

  private async guard(target: Type, handler: Method, args: readonly unknown[]): Promise<void> {
    const guards = await this.resolver.resolve<CanActivate>(GUARDS_METADATA, target, handler, args[0]);
    const allowed = await this.#guards.tryActivate(guards, [...args], target.prototype, handler, 'http');
    if (!allowed) throw new ForbiddenException(FORBIDDEN_MESSAGE);
  }

  private async intercept<T>(
    target: Type,
    handler: Method,
    args: readonly unknown[],
    operate: () => Promise<T>,
  ): Promise<T> {
    const interceptors = await this.resolver.resolve<NestInterceptor>(
      INTERCEPTORS_METADATA,
      target,
      handler,
      args[0],
    );
    if (interceptors.length === 0) return operate();
    let outcome: { readonly value: T } | undefined;
    let abandoned = false;
    const observed = async () => {
      outcome = { value: await operate() };
      if (abandoned) close(outcome.value);
      return outcome.value;
    };
    try {
      const { prototype } = target;
      const result = await this.#interceptors.intercept(
        interceptors,
        [...args],
        prototype,
        handler,
        observed,
        'http',
      );
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    } catch (error) {
      // A timeout may give up on an operation that is still at work, and answers later.
      abandoned = true;
      close(outcome?.value);
      throw error;
    }
    if (!outcome) throw new Error(`An interceptor of ${target.name} kept the operation from running`);
    return outcome.value;
  }
}

function isEnhanced(handler: Method): boolean {
  return Reflect.hasMetadata(GUARDS_METADATA, handler) || Reflect.hasMetadata(INTERCEPTORS_METADATA, handler);
}

function methodOf(target: Type, method: string): Method {
  return (target.prototype as Record<string, Method>)[method]!;
}

/** Ends a stream that nobody will read. */
function close(value: unknown): void {
  (value as { close?: () => void } | undefined)?.close?.();
}
