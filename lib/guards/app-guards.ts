import { Injectable, type CanActivate, type Type } from '@nestjs/common';
import { ModuleRef, type ContextId } from '@nestjs/core';
import { EnhancerResolver } from './enhancer-resolver.js';

/** Finds how to get an instance of a guard for a request. */
type Provide = (request: object) => CanActivate | Promise<CanActivate>;

/**
 * Instances of the application's guard classes that serve schemes: those that its modules provide, request-scoped ones
 * too, and otherwise one that is made in the module that provides the agent, with that module's services.
 */
@Injectable()
export class AppGuards {
  readonly #known = new Map<Type, Map<Type, Provide>>();

  constructor(private readonly resolver: EnhancerResolver) {}

  /** To be called while the application boots. Throws Nest's own error where a guard's services are missing. */
  async prepare(guard: Type<CanActivate>, agent: Type): Promise<void> {
    const guards = this.#known.get(agent) ?? new Map<Type, Provide>();
    this.#known.set(agent, guards);
    if (!guards.has(guard)) guards.set(guard, await this.#find(guard, agent));
  }

  async get(guard: Type<CanActivate> | CanActivate, agent: Type, request: object): Promise<CanActivate> {
    if (typeof guard !== 'function') return guard;
    const provide = this.#known.get(agent)?.get(guard);
    // A guard that cannot be asked must not let anyone in.
    if (!provide) throw new Error(`${guard.name} guards a scheme of ${agent.name}, but was not made`);
    return provide(request);
  }

  async #find(guard: Type<CanActivate>, agent: Type): Promise<Provide> {
    const moduleRef = this.resolver.homeOf(agent)?.providers.get(ModuleRef)?.instance as
      ModuleRef | undefined;
    if (!moduleRef) throw new Error(`No module provides ${agent.name}`);
    if (!isProvided(moduleRef, guard)) {
      const made = await moduleRef.create(guard);
      return () => made;
    }
    if (isStatic(moduleRef, guard)) {
      const provided = moduleRef.get<CanActivate>(guard, { strict: false });
      return () => provided;
    }
    return (request) => {
      const contextId: ContextId = this.resolver.contextOf(request);
      return moduleRef.resolve<CanActivate>(guard, contextId, { strict: false });
    };
  }
}

function isProvided(moduleRef: ModuleRef, guard: Type): boolean {
  try {
    moduleRef.introspect(guard);
    return true;
  } catch {
    return false;
  }
}

/** A guard whose own scope is the default may still need something that is request-scoped. */
function isStatic(moduleRef: ModuleRef, guard: Type): boolean {
  try {
    moduleRef.get(guard, { strict: false });
    return true;
  } catch {
    return false;
  }
}
