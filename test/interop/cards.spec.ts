import { AgentCard } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { A2AError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { expect, it } from 'vitest';
import { onEveryWire } from './on-every-wire.js';
import { sendForTask, state, V1 } from './sdk.js';

onEveryWire('the card', { EXTENSIONS: 'https://example.com/ext' }, (wire) => {
  it('is found at the origin, and at its full address', async () => {
    const card = await new DefaultAgentCardResolver().resolve(wire.base);
    expect(card.name).toBe('Scripted agent');
    expect(card.skills.map(({ id }) => id)).toEqual(['script']);
    const addressed = await new ClientFactory().createFromUrl(`${wire.base}/.well-known/agent-card.json`, '');
    expect(state(await sendForTask(addressed, 'quick'))).toBe('COMPLETED');
  });

  it('means the same read leniently, as the resolver does, and strictly, by the client’s own codec', async () => {
    // Without security schemes the resolver hands the JSON over as it came, so members that are empty are missing.
    const card = await new DefaultAgentCardResolver().resolve(wire.base);
    const strict = AgentCard.fromJSON(card);
    expect(strict.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toEqual([
      'JSONRPC',
      'HTTP+JSON',
    ]);
    for (const { url, protocolVersion } of strict.supportedInterfaces) {
      expect(url).toContain(wire.base);
      expect(protocolVersion).toBe('1.0');
    }
    expect(strict.capabilities).toMatchObject({ streaming: true, extendedAgentCard: true });
    expect(strict.capabilities?.extensions.map(({ uri }) => uri)).toContain('https://example.com/ext');
    expect(AgentCard.toJSON(strict)).toMatchObject(card as object);
  });

  it('has no extended form for somebody unknown', async () => {
    const error = await wire.client.getAgentCard().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(A2AError);
    expect(error).toMatchObject(wire.binding === 'JSONRPC' ? { envelopeCode: -32000 } : { statusCode: 401 });
  });
});

onEveryWire('an agent without an extended card', { CAPABILITIES: 'streaming' }, (wire) => {
  it('is not asked for it by the client', async () => {
    expect((await wire.client.getAgentCard()).skills.map(({ id }) => id)).toEqual(['script']);
  });

  it('refuses it all the same', async () => {
    const asked = wire.client.transport.getExtendedAgentCard({ tenant: '' }, V1);
    await expect(asked).rejects.toBeInstanceOf(UnsupportedOperationError);
  });
});
