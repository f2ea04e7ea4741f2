import { describe, expect, it } from 'vitest';
import { cardPayload, sdkCardPayload, signedPart } from '../../lib/agent-card/card-payload.js';

describe('cardPayload', () => {
  it('gives the example of §8.4.1 byte for byte', () => {
    const fragment = {
      name: 'Example Agent',
      description: '',
      capabilities: { streaming: false, pushNotifications: false, extensions: [] },
      skills: [],
    };
    expect(cardPayload(fragment)).toBe(
      '{"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"Example Agent","skills":[]}',
    );
  });

  it('leaves out signatures, defaults, null, and the names of the proto file', () => {
    const card = {
      name: 'A',
      signatures: [{ protected: 'x', signature: 'y' }],
      security_requirements: [{ schemes: { bearer: { list: [] } } }],
      securitySchemes: {},
      icon_url: '',
      provider: null,
      skills: [{ id: 's', tags: [], examples: [], name: '' }],
    };
    expect(cardPayload(card)).toBe(
      '{"iconUrl":"","name":"A","securityRequirements":[{"schemes":{"bearer":{}}}],"skills":[{"id":"s","name":"","tags":[]}]}',
    );
  });

  it('keeps what only a later version knows, and what extensions say, empty or not', () => {
    const params = { empty: '', none: [], zero: 0 };
    const card = { later: '', capabilities: { extensions: [{ uri: 'u', required: false, params }] } };
    expect(cardPayload(card)).toBe(
      '{"capabilities":{"extensions":[{"params":{"empty":"","none":[],"zero":0},"uri":"u"}]},"later":""}',
    );
    expect(signedPart(card, { unknown: false })).not.toHaveProperty('later');
  });

  it.each([null, 'text', 1, []])('takes %j for a card without members', (json) => {
    expect(cardPayload(json)).toBe('{}');
  });
});

describe('sdkCardPayload', () => {
  it('leaves out all that is empty', () => {
    const card = { name: 'A', description: '', skills: [], securityRequirements: [{ schemes: { b: {} } }] };
    expect(sdkCardPayload(card)).toBe('{"name":"A"}');
  });
});
