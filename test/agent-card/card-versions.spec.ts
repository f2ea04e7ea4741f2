import { describe, expect, it } from 'vitest';
import { CardVersions } from '../../lib/agent-card/card-versions.js';

const versions = () =>
  new CardVersions({
    options: { name: 'Order desk', description: 'Tracks orders', version: '1.0.0' },
    skills: [],
    path: 'a2a',
    bindings: ['JSONRPC'],
    additionalInterfaces: [],
  });

describe('CardVersions', () => {
  it('serialises a card once for each base URL', async () => {
    const cards = versions();
    const first = await cards.at('https://a.example');
    expect(await cards.at('https://a.example')).toBe(first);
    expect(JSON.parse(first.body.toString())).toEqual(first.card);
    expect(first.etag).toMatch(/^"[\w-]{27}"$/);
    expect((await cards.at('https://b.example')).etag).not.toBe(first.etag);
  });

  it('has one tag for one content, in every process', async () => {
    const [one, other] = [await versions().at('https://a.example'), await versions().at('https://a.example')];
    expect(one.etag).toBe(other.etag);
  });

  it('forgets the oldest when callers make up hosts', () => {
    const cards = versions();
    const first = cards.at('https://a.example');
    for (let i = 0; i < 31; i++) cards.at(`https://host-${i}.example`);
    expect(cards.at('https://a.example')).toBe(first);
    cards.at('https://one-more.example');
    expect(cards.at('https://a.example')).not.toBe(first);
  });
});
