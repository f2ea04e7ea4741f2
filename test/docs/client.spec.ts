import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createA2AClient } from 'nest-a2a/client';
import { scripted, start, stop, type Running } from '../e2e/apps.js';
import { exportsOf } from './snippets.js';

let guide: any;
let running: Running;

beforeAll(async () => {
  guide = await exportsOf('client');
  running = await start('fastify', scripted());
});
afterAll(() => stop(running));

describe('the guide to the client', () => {
  it('asks an agent', async () => {
    expect(await guide.ask(running.base, 'quick')).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('replaces a client in tests', async () => {
    const module = await guide.compiling;
    expect(await module.get(guide.Orders).owed('Ann')).toBe('12 €');
    await module.close();
  });

  it('asks, answers what it is asked, and shows what comes', async () => {
    const client = createA2AClient(running.base);
    expect(await guide.track(client, 'quick', () => 'never')).toBe('Hello, quick');
    const answers = ['more', 'finish'];
    expect(await guide.track(client, 'park', async () => answers.shift())).toBe('more');
    expect(await guide.track(client, 'public-error')).toBe(
      'The order was not found: The order number is missing',
    );
    const texts: string[] = [];
    expect(await guide.write(client, (text: string) => texts.push(text))).toBe('TASK_STATE_COMPLETED');
    expect(texts.at(-1)).toBe('Hello, Write a poem');
    const events = [];
    for await (const event of guide.events(client, 'chunks:2')) events.push(event);
    expect(events).toHaveLength(5);
    await client.close();
  });

  it('tells errors apart', async () => {
    const client = createA2AClient(running.base);
    const nowhere = createA2AClient('http://127.0.0.1:1', { retry: { attempts: 1 } });
    expect(await guide.stateOf(client, 'nobody')).toBe('unknown');
    expect(await guide.stateOf(nowhere, 'nobody')).toContain('failed: No connection to 127.0.0.1:1');
    await Promise.all([client.close(), nowhere.close(), guide.billing.close()]);
  });
});
