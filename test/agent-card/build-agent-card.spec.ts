import { describe, expect, it } from 'vitest';
import { buildAgentCard, type CardSource } from '../../lib/agent-card/build-agent-card.js';
import { RESUME_EXTENSION, RESUME_EXTENSION_URI } from '../../lib/agent-card/resume-extension.js';
import type { AgentExecutorOptions } from '../../lib/interfaces/agent-options.js';

const SKILL = { id: 'track', name: 'Track', description: 'Tracks', tags: ['orders'] };

function source(changes: Partial<CardSource> = {}, options: Partial<AgentExecutorOptions> = {}): CardSource {
  return {
    options: { name: 'Order desk', description: 'Tracks orders', version: '1.0.0', ...options },
    skills: [SKILL],
    path: 'a2a',
    bindings: ['JSONRPC', 'HTTP+JSON'],
    additionalInterfaces: [],
    ...changes,
  };
}

const urls = (card: CardSource, baseUrl: string) =>
  buildAgentCard(card, baseUrl).supportedInterfaces.map(({ url }) => url);

describe('buildAgentCard', () => {
  it('fills in what the options leave open', () => {
    expect(buildAgentCard(source(), 'https://api.example.com')).toEqual({
      name: 'Order desk',
      description: 'Tracks orders',
      version: '1.0.0',
      supportedInterfaces: [
        { url: 'https://api.example.com/a2a/jsonrpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'https://api.example.com/a2a/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      ],
      capabilities: {
        streaming: true,
        pushNotifications: false,
        extendedAgentCard: false,
        extensions: [{ uri: RESUME_EXTENSION_URI, description: RESUME_EXTENSION.description }],
      },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [SKILL],
    });
  });

  it.each([
    ['https://api.example.com', 'a2a', 'https://api.example.com/a2a/jsonrpc'],
    ['https://api.example.com/', 'a2a', 'https://api.example.com/a2a/jsonrpc'],
    ['https://api.example.com/agents', 'api/v1/a2a', 'https://api.example.com/agents/api/v1/a2a/jsonrpc'],
    ['https://api.example.com/agents//', 'a2a', 'https://api.example.com/agents/a2a/jsonrpc'],
    ['http://localhost:3000', '', 'http://localhost:3000/jsonrpc'],
  ])('joins %s and "%s" with one slash', (baseUrl, path, expected) => {
    expect(urls(source({ path }), baseUrl)[0]).toBe(expected);
  });

  it('declares the bindings in their order, then further interfaces', () => {
    const grpc = { url: 'grpc.example.com:443', protocolBinding: 'GRPC', protocolVersion: '1.0' };
    const card = source({ bindings: ['HTTP+JSON', 'JSONRPC'], additionalInterfaces: [grpc] });
    expect(urls(card, 'https://a.b')).toEqual(['https://a.b/a2a/rest', 'https://a.b/a2a/jsonrpc', grpc.url]);
    expect(urls(source({ bindings: ['JSONRPC'] }), 'https://a.b')).toEqual(['https://a.b/a2a/jsonrpc']);
  });

  it('keeps what the options say', () => {
    const options: Partial<AgentExecutorOptions> = {
      provider: { url: 'https://acme.example', organization: 'Acme' },
      documentationUrl: 'https://acme.example/docs',
      iconUrl: 'https://acme.example/icon.png',
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      extensions: [{ uri: 'urn:own', required: true }],
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['image/png'],
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: {} } }],
    };
    const card = buildAgentCard(source({}, options), 'https://a.b');
    const { extensions: _, ...others } = options;
    expect(card).toMatchObject(others);
    expect(card.capabilities.extensions?.map(({ uri }) => uri)).toEqual(['urn:own', RESUME_EXTENSION_URI]);
  });

  it('does not offer to resume streams where there are none', () => {
    const card = buildAgentCard(source({}, { capabilities: { streaming: false } }), 'https://a.b');
    expect(card.capabilities).toEqual({
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
    });
  });

  it('has nothing that the data model does not know', () => {
    const skills = [{ ...SKILL, method: 'track' }];
    const card = buildAgentCard(source({ skills }, { color: 'red' } as object), 'https://a.b');
    expect(card.skills).toEqual([SKILL]);
    expect(card).not.toHaveProperty('color');
  });
});
