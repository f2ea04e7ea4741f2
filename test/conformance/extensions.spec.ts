import { request } from 'node:http';
import { type AgentCard, RESUME_EXTENSION_URI } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { M } from '../support/message.js';
import { PLATFORMS } from './support/app.js';
import { BINDINGS, OPERATION_NAMES, Peer } from './support/peer.js';
import { artifactTexts } from './support/show.js';

const REQUIRED = 'https://example.com/ext/required';
const OPTIONAL = 'https://example.com/ext/optional';
const UNKNOWN = 'https://example.com/ext/unknown';

describe.each(PLATFORMS)('D18 extensions on %s', (adapter) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ PORT: '0', ADAPTER: adapter, EXTENSIONS: `!${REQUIRED}, ${OPTIONAL}` });
  });
  afterAll(() => fixture?.close());

  it('the card declares them', async () => {
    const card = (await (await fetch(`${fixture.base}/.well-known/agent-card.json`)).json()) as AgentCard;
    expect(card.capabilities.extensions).toEqual(
      expect.arrayContaining([{ uri: REQUIRED, required: true }, { uri: OPTIONAL }]),
    );
    const resume = card.capabilities.extensions?.find(({ uri }) => uri === RESUME_EXTENSION_URI);
    expect(resume?.required ?? false).toBe(false);
  });

  describe.each(BINDINGS)('over %s', (binding) => {
    const peer = (extensions?: string) =>
      new Peer(`${fixture.base}/a2a`, binding).with({ 'a2a-extensions': extensions });

    /** The extensions that the executor sees, and those that the answer names. */
    async function active(extensions: string): Promise<readonly [string[], string | null]> {
      const { result, headers } = await peer(extensions).call('SendMessage', M('whoami'));
      return [JSON.parse(artifactTexts(result.task)[0]!).extensions, headers.get('a2a-extensions')];
    }

    it.each(OPERATION_NAMES)(
      '%s without the required one is refused before anything happens',
      async (operation) => {
        const willing = peer(REQUIRED);
        const task = await willing.send('park');
        const params = operation.startsWith('Send')
          ? M('finish', { message: { taskId: task.id } })
          : { id: task.id, taskId: task.id, url: 'https://example.com' };
        const before = await willing.ok('ListTasks');
        for (const extensions of [undefined, '', OPTIONAL, UNKNOWN, `${REQUIRED}/more`]) {
          const refusal = await peer(extensions).refused(operation, params);
          expect(refusal).toMatchObject({ reason: 'EXTENSION_SUPPORT_REQUIRED', domain: 'a2a-protocol.org' });
          expect(refusal.message).toContain(REQUIRED);
          if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code: -32008 });
          else expect(refusal).toMatchObject({ httpStatus: 400, status: 'FAILED_PRECONDITION' });
        }
        expect(await willing.ok('ListTasks')).toEqual(before);
      },
    );

    it.each([
      [REQUIRED, [REQUIRED]],
      [`${REQUIRED},${OPTIONAL}`, [REQUIRED, OPTIONAL]],
      [` ${OPTIONAL} ,,\t${REQUIRED} , ${OPTIONAL},`, [OPTIONAL, REQUIRED]],
      [`${UNKNOWN}, ${REQUIRED}`, [REQUIRED]],
      [`${REQUIRED}, ${OPTIONAL.toUpperCase()}`, [REQUIRED]],
    ])('%j activates what is declared, and says so', async (header, uris) => {
      expect(await active(header)).toEqual([uris, uris.join(', ')]);
    });

    it('streams say so, too', async () => {
      const response = await peer(`${OPTIONAL}, ${REQUIRED}`).request('SendStreamingMessage', M('quick'));
      expect(response.headers.get('a2a-extensions')).toBe(`${OPTIONAL}, ${REQUIRED}`);
      await response.body?.cancel();
    });
  });

  it('takes the header repeated, in whatever case its name is', async () => {
    const body = JSON.stringify(M('whoami'));
    const text = await new Promise<string>((resolve, reject) => {
      const req = request(
        `${fixture.base}/a2a/rest/message:send`,
        {
          method: 'POST',
          headers: {
            'A2A-VERSION': '1.0',
            'Content-Type': 'application/json',
            'a2a-EXTENSIONS': [REQUIRED, `${UNKNOWN}, ${OPTIONAL}`],
          },
        },
        (response) => {
          let received = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
          response.on('end', () => resolve(received)).on('error', reject);
        },
      );
      req.on('error', reject).end(body);
    });
    const told = JSON.parse(artifactTexts(JSON.parse(text).task)[0]!);
    expect(told.extensions).toEqual([REQUIRED, OPTIONAL]);
  });
});
