import { AgentExecutor, type RequestContext, Skill, TaskStore } from 'nest-a2a';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryTaskStore } from '../../lib/stores/memory-task-store.js';
import { PLATFORMS, serveApp, type ServedApp } from './support/app.js';
import { BINDINGS, type Params } from './support/peer.js';
import { artifactTexts } from './support/show.js';

const AGENT = { name: 'Reader', description: 'Reads', version: '1' };
const SKILL = { name: 'Skill', description: 'A skill', tags: ['test'] };

@Skill({ ...SKILL, id: 'plain' })
@AgentExecutor({ ...AGENT, defaultInputModes: ['text/plain', 'Image/*', 'application/json; version=1'] })
class PlainAgent {
  runs = 0;

  async execute({ updater }: RequestContext): Promise<void> {
    this.runs += 1;
    await updater.complete();
  }
}

@AgentExecutor({ ...AGENT, defaultInputModes: ['text/plain'] })
class SkilledAgent {
  @Skill({ ...SKILL, id: 'text' })
  async text({ updater }: RequestContext): Promise<void> {
    await updater.addArtifact('text');
    await updater.complete();
  }

  @Skill({ ...SKILL, id: 'audio', inputModes: ['audio/*'] })
  async audio({ updater }: RequestContext): Promise<void> {
    await updater.addArtifact('audio');
    await updater.complete();
  }
}

describe.each(PLATFORMS)('D19 media types on %s', (platform) => {
  let served: ServedApp;
  let lenient: ServedApp;

  beforeAll(async () => {
    const agents = [
      { agent: PlainAgent, path: 'plain' },
      { agent: SkilledAgent, path: 'skilled' },
    ];
    served = await serveApp(platform, { agents });
    lenient = await serveApp(platform, { agents, options: { checkInputModes: false } });
  });
  afterAll(async () => {
    await served?.close();
    await lenient?.close();
  });

  const send = (parts: readonly Params[], skillId?: string) => ({
    message: { messageId: 'm', role: 'ROLE_USER', parts, ...(skillId && { metadata: { skillId } }) },
  });

  describe.each(BINDINGS)('over %s', (binding) => {
    const plain = () => served.peer(binding, 'plain');
    const skilled = () => served.peer(binding, 'skilled');

    it.each([
      [undefined],
      ['text/plain'],
      ['TEXT/Plain'],
      ['text/plain; charset=utf-8'],
      ['text/plain;charset="utf-8"'],
      ['image/png'],
      ['IMAGE/JPEG'],
      ['application/json;version=1'],
      ['application/json; VERSION="1"; more=x'],
    ])('takes a part of %j', async (mediaType) => {
      const { task } = await plain().ok(
        'SendMessage',
        send([{ text: 'x', ...(mediaType && { mediaType }) }]),
      );
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    });

    it.each([
      'text/html',
      'text/plainer',
      'audio/wav',
      'application/json',
      'application/json; version=2',
      'junk',
      '*/*',
    ])('refuses a part of %j, and runs nothing', async (mediaType) => {
      const agent = served.app.get(PlainAgent);
      const store = served.app.get<unknown, MemoryTaskStore>(TaskStore);
      const before = { runs: agent.runs, tasks: store.size };
      for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
        const refusal = await plain().refused(operation, send([{ text: 'a' }, { text: 'b', mediaType }]));
        expect(refusal).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED', metadata: { mediaType } });
        expect(refusal.message).toContain('message.parts[1]');
        if (binding === 'JSONRPC') expect(refusal).toMatchObject({ httpStatus: 200, code: -32005 });
        else expect(refusal).toMatchObject({ httpStatus: 415, status: 'INVALID_ARGUMENT' });
      }
      expect({ runs: agent.runs, tasks: store.size }).toEqual(before);
    });

    it('honours the modes of the skill that was chosen', async () => {
      const audio = { raw: 'AA==', mediaType: 'audio/wav' };
      const words = { text: 'x', mediaType: 'text/plain' };
      const run = async (part: Params, skill?: string) =>
        artifactTexts((await skilled().ok('SendMessage', send([part], skill))).task);
      expect(await run(audio)).toEqual(['audio']);
      expect(await run(audio, 'audio')).toEqual(['audio']);
      expect(await run(words)).toEqual(['text']);
      expect(await run(words, 'text')).toEqual(['text']);
      for (const [part, skill] of [
        [audio, 'text'],
        [words, 'audio'],
        [{ raw: '', mediaType: 'video/mp4' }],
      ] as const) {
        const refusal = await skilled().refused('SendMessage', send([part], skill));
        expect(refusal.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
      }
    });

    it('takes everything where the check is off', async () => {
      const part = { raw: '', mediaType: 'video/mp4' };
      for (const path of ['plain', 'skilled']) {
        const { task } = await lenient.peer(binding, path).ok('SendMessage', send([part]));
        expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      }
    });
  });
});
