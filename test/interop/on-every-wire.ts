import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import type { Environment } from '../fixtures/environment.js';
import { type BindingName, connect, type ConnectOptions } from './sdk.js';

/** What the tests of one platform and one binding are about; its members are there once the tests run. */
export interface Wire {
  readonly binding: BindingName;
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
  /** A client without any options. */
  readonly client: Client;
  /** One more client. */
  connect(options?: ConnectOptions): Promise<Client>;
}

const BINDINGS: readonly BindingName[] = ['JSONRPC', 'HTTP+JSON'];

/** Runs the same tests with the official client over both bindings, on both platforms. */
export function onEveryWire(name: string, env: Environment, tests: (wire: Wire) => void): void {
  describe.each(['fastify', 'express'])(`${name}, on %s`, (adapter) => {
    let fixture: Fixture;

    beforeAll(async () => {
      fixture = await startFixture({ PORT: '0', ADAPTER: adapter, ...env });
    });

    afterAll(async () => {
      await fixture?.close();
    });

    describe.each(BINDINGS)('over %s', (binding) => {
      let client: Client;

      beforeAll(async () => {
        client = await connect(fixture.base, binding);
      });

      tests({
        binding,
        get base() {
          return fixture.base;
        },
        get client() {
          return client;
        },
        connect: (options) => connect(fixture.base, binding, options),
      });
    });
  });
}
