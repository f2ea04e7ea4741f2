import { inspect, format } from 'node:util';
import { createA2AClient, apiKeyCredential, basicAuth, bearer, Secret } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';

const VALUE = 's3cr3t-of-a-client';

/** Every way in which a value usually gets into a log. */
function traces(value: object): string {
  const inspected = inspect(value, { depth: Infinity, showHidden: true, getters: true });
  return [
    String(value),
    JSON.stringify(value),
    inspected,
    format('%s %o %j %O', value, value, value, value),
  ].join('\n');
}

describe('a secret', () => {
  const secret = new Secret(VALUE);

  it('tells its value when it is asked for it, and else nobody', () => {
    expect(secret.reveal()).toBe(VALUE);
    expect(secret.equals(new Secret(VALUE))).toBe(true);
    expect(secret.equals(new Secret(`${VALUE}3`))).toBe(false);
    expect(traces(secret)).toContain('[secret]');
    expect(traces({ secret, list: [secret] })).not.toContain(VALUE);
    expect(traces(new Error('x', { cause: secret }))).not.toContain(VALUE);
    expect(`${secret}`).toBe('[secret]');
    expect(structuredClone({ ...secret })).toEqual({});
  });

  it.each([
    ['bearer()', bearer(VALUE)],
    ['basicAuth()', basicAuth('ann', VALUE)],
    ['apiKeyCredential()', apiKeyCredential(VALUE)],
  ])('is what %s keeps', (_, credential) => {
    expect(traces(credential)).not.toContain(VALUE);
  });

  it('is what a client with credentials keeps', async () => {
    const client = createA2AClient('https://a.example', {
      credentials: { bearer: bearer(VALUE), basic: basicAuth('ann', VALUE), key: apiKeyCredential(VALUE) },
    });
    const inspected = inspect(client, { depth: 6, showHidden: true });
    expect(inspected + JSON.stringify(client)).not.toContain(VALUE);
    await client.close();
  });
});
