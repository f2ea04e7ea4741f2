import { Injectable, type InjectionToken, type Type } from '@nestjs/common';
import { ContextIdFactory, ModuleRef, ModulesContainer, type ContextId } from '@nestjs/core';
import { Injector, REQUEST_CONTEXT_ID, type InstanceWrapper, type Module } from '@nestjs/core/internal';

type Bound = Type | object;
type Request = { [REQUEST_CONTEXT_ID]?: ContextId };

/**
 * Finds the instances of the guards and interceptors that are bound to an executor or to one of its methods. Nest made
 * them in the module that provides the executor, with that module's services, so this is where they are looked up:
 * bound to our controllers instead, they would need their services in our module.
 */
@Injectable()
export class EnhancerResolver {
  readonly #injector = new Injector();
  readonly #homes = new WeakMap<Type, Module>();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly moduleRef: ModuleRef,
  ) {}

  /**
   * @param metadataKey Nest's key of the kind of enhancer.
   * @param source the executor's class, or one of its methods.
   * @param request the platform's, whose context request-scoped enhancers share.
   */
  async resolve<T>(metadataKey: string, target: Type, source: object, request: unknown): Promise<T[]> {
    const bound = Reflect.getMetadata(metadataKey, source) as readonly Bound[] | undefined;
    if (!bound?.length) return [];
    return Promise.all(bound.map((enhancer) => this.instanceOf(enhancer, target, request) as Promise<T>));
  }

  private async instanceOf(bound: Bound, target: Type, request: unknown): Promise<unknown> {
    if (typeof bound !== 'function') return bound;
    const home = this.homeOf(target);
    const wrapper = home?.injectables.get(bound as Type);
    // A guard that cannot be asked must not let anyone in.
    if (!home || !wrapper) throw new Error(`${bound.name} is bound to ${target.name}, but no module made it`);
    if (wrapper.isDependencyTreeStatic()) return wrapper.instance;
    const contextId = this.contextOf(request as Request);
    return this.#injector.loadPerContext(wrapper.instance, home, home.injectables, contextId, wrapper);
  }

  /** The context that Nest itself would use for a request-scoped controller of this request. */
  contextOf(given: object): ContextId {
    const request = given as Request;
    const known = request[REQUEST_CONTEXT_ID];
    if (known) return known;
    const contextId = ContextIdFactory.getByRequest(request);
    Object.defineProperty(request, REQUEST_CONTEXT_ID, { value: contextId });
    this.moduleRef.registerRequestByContextId(request, contextId);
    return contextId;
  }

  /** The module that provides a class; undefined when none does. */
  homeOf(target: Type): Module | undefined {
    const known = this.#homes.get(target);
    if (known) return known;
    for (const module of this.modules.values()) {
      if (![...module.providers].some((entry) => provides(entry, target))) continue;
      this.#homes.set(target, module);
      return module;
    }
    return undefined;
  }
}

function provides([, wrapper]: [InjectionToken, InstanceWrapper], target: Type): boolean {
  return !wrapper.isAlias && wrapper.metatype === target;
}
