import { Inject } from '@nestjs/common';

/**
 * The token of a client that `A2AClientModule` registers, as for `overrideProvider()` in tests.
 *
 * @publicApi
 */
export function getA2AClientToken(name: string): string {
  return `nest-a2a:client:${name}`;
}

/**
 * Injects the client of that name, which `A2AClientModule` registers.
 *
 * @publicApi
 * @example constructor(@InjectA2AClient('billing') private readonly billing: A2AClient) {}
 */
export function InjectA2AClient(name: string): PropertyDecorator & ParameterDecorator {
  return Inject(getA2AClientToken(name));
}
