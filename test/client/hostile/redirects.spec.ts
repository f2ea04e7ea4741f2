import { AgentDiscoveryError, createA2AClient, UnexpectedAnswerError } from 'nest-a2a/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardAt, HostileAgent } from '../../support/hostile-agent.js';
import { against, eventsOf, finished, SEND } from './against.js';

/** E10: a peer does not choose where a request goes on to. */
against('a redirect', (hostile) => {
  let other: HostileAgent;
  beforeAll(async () => {
    other = await HostileAgent.start();
    other.script((exchange) => exchange.json(finished(exchange)));
  });
  afterAll(() => other.close());

  const SECRET = {
    headers: { authorization: 'Bearer s3cr3t-token', 'x-team': 'orders' },
    retry: { attempts: 1 },
  };

  it.each([301, 302, 303, 307, 308])('by %i is not followed, neither here nor elsewhere', async (status) => {
    for (const location of [`${other.base}/a2a/jsonrpc`, '/elsewhere', '', 'file:///etc/passwd']) {
      hostile.agent.script((exchange) => exchange.answer(status, { location }, ''));
      const client = hostile.client(SECRET);
      await expect(client.sendMessage(SEND)).rejects.toMatchObject({ name: 'UnexpectedAnswerError', status });
      await expect(client.getTask({ id: 't' })).rejects.toBeInstanceOf(UnexpectedAnswerError);
      await expect(eventsOf(client.stream(SEND))).rejects.toBeInstanceOf(UnexpectedAnswerError);
      expect(hostile.agent.requests).toHaveLength(3);
    }
    expect(other.requests).toHaveLength(0);
  });

  it('of the card to another origin is refused', async () => {
    hostile.agent.card = (exchange) =>
      exchange.answer(302, { location: `${other.base}/.well-known/agent-card.json` }, '');
    await expect(hostile.client(SECRET).card()).rejects.toBeInstanceOf(AgentDiscoveryError);
    expect(other.requests).toHaveLength(0);
  });

  it('of the card in a circle ends', async () => {
    hostile.agent.card = (exchange) => exchange.answer(302, { location: exchange.request.path }, '');
    await expect(hostile.client(SECRET).card()).rejects.toBeInstanceOf(AgentDiscoveryError);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'javascript:alert(1)', 'data:text/plain,x', '//x', ''])(
    'by the card to an interface at %s is not followed',
    async (url) => {
      const interfaces = [{ url, protocolBinding: hostile.binding, protocolVersion: '1.0' }];
      hostile.agent.card = (exchange) =>
        exchange.json(cardAt(hostile.agent.base, { supportedInterfaces: interfaces }));
      await expect(hostile.client(SECRET).sendMessage(SEND)).rejects.toBeInstanceOf(AgentDiscoveryError);
    },
  );

  it('by the card to a stranger takes no headers along', async () => {
    hostile.agent.card = (exchange) => exchange.json(cardAt(other.base));
    await hostile.client(SECRET).sendMessage(SEND);
    const [request] = other.requests.splice(0);
    expect(request?.headers['authorization']).toBeUndefined();
    expect(request?.headers['x-team']).toBeUndefined();
  });

  it('is not needed to refuse what is no URL of HTTP', () => {
    for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/']) {
      expect(() => createA2AClient(url)).toThrow(TypeError);
    }
  });
});
