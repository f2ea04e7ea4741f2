import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../lib/protocol/operations.js';
import { PLATFORMS, rpc, sendParams, startApp, type TestApp } from './harness.js';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300);

const words = fc.constantFrom(
  'message:send',
  'tasks',
  'x:cancel',
  ':',
  '::cancel',
  't1',
  '%3A',
  '__proto__',
  'a%20b',
  '..',
);
const path = fc.array(fc.oneof(words, fc.webSegment()), { maxLength: 7 }).map((parts) => parts.join('/'));
const json = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.jsonValue(),
        method: fc.constantFrom(...Object.keys(OPERATIONS), '__proto__', ''),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(rpc('SendMessage', { ...sendParams(), message: value }))),
  fc.jsonValue().map((value) => JSON.stringify(sendParams('hi', { metadata: value, configuration: value }))),
);
const type = fc.constantFrom(
  'application/json',
  'application/a2a+json',
  'text/plain',
  'x',
  'application/json; charset=x',
);

describe.each(PLATFORMS)('malformed requests on %s', (platform) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(platform);
  });
  afterAll(() => app.close());

  it("are answered in JSON-RPC's shape, and never by a 5xx", async () => {
    await fc.assert(
      fc.asyncProperty(json, type, async (body, contentType) => {
        const response = await fetch(`${app.url}/a2a/jsonrpc`, {
          method: 'POST',
          headers: { 'Content-Type': contentType, 'A2A-Version': '1.0' },
          body,
        });
        const text = await response.text();
        expect(response.status).toBeLessThan(500);
        if (response.status === 204) return;
        expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0' });
      }),
      { numRuns: RUNS },
    );
  });

  it("are answered in HTTP+JSON's shape, and never by a 5xx", async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH'),
        json,
        type,
        async (tail, method, body, contentType) => {
          const response = await fetch(`${app.url}/a2a/rest/./${tail}`.replace('/./', '/'), {
            method,
            headers: { 'Content-Type': contentType, 'A2A-Version': '1.0' },
            ...(method !== 'GET' && { body }),
          });
          const text = await response.text();
          // The URL parser resolves `..`, which may lead out of the agent's paths.
          if (!new URL(response.url).pathname.startsWith('/a2a/rest')) return;
          expect(response.status).toBeLessThan(500);
          const answer = JSON.parse(text);
          if (response.status >= 400)
            expect(answer.error).toMatchObject({ code: response.status, details: expect.any(Array) });
        },
      ),
      { numRuns: RUNS },
    );
  });
});
