import { setTimeout as sleep } from 'node:timers/promises';
import { AgentExecutor, RequestContext, RESUME_EXTENSION_URI, Skill, status } from 'nest-a2a';
import { beforeAll, describe, expect, it } from 'vitest';
import { M } from '../support/message.js';
import { rest, restStream } from '../support/rest.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { readEvents, sse, type SseFrame } from '../support/sse.js';
import { agentModule } from './agent-module.js';
import { PLATFORMS, serve } from './serve.js';
import { exportsOf } from './snippets.js';

const AGENT = { name: 'Test', description: 'Does what the guide says', version: '1.0.0' };
const skill = (id: string) => ({ id, name: id, description: 'Does it', tags: ['test'] });

@AgentExecutor(AGENT)
class StreamingAgent {
  @Skill(skill('tokens'))
  async *tokens() {
    yield* ['one ', 'two ', 'three'];
  }

  @Skill(skill('ask'))
  async *ask({ task }: RequestContext) {
    if (!task) yield status('TASK_STATE_INPUT_REQUIRED', 'Which one?');
    else yield 'That one';
  }

  @Skill(skill('wait'))
  async *wait({ signal }: RequestContext) {
    yield status('TASK_STATE_WORKING');
    await sleep(60_000, undefined, { signal });
  }
}

const skillId = (id: string, more = {}) => ({ message: { metadata: { skillId: id }, ...more } });
const kinds = (frames: readonly SseFrame[]) =>
  frames.map(({ data }) => {
    const { task, statusUpdate, artifactUpdate } = data.result ?? data;
    return (task ?? statusUpdate)?.status.state ?? artifactUpdate.artifact.parts[0].text;
  });

describe.each(PLATFORMS)('the guide to streaming, on %s', (platform) => {
  let guide: any;
  beforeAll(async () => {
    guide = await exportsOf('streaming');
  });

  it('says what a stream is made of, and how it goes on', async () => {
    await using served = await serve(platform, agentModule([StreamingAgent]));
    const { base } = served;
    const response = await restStream(base, 'POST', '/message:stream', M('hi'));
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const whole = await readEvents(response);
    expect(kinds(whole)).toEqual([
      'TASK_STATE_SUBMITTED',
      'one ',
      'two ',
      'three',
      '',
      'TASK_STATE_COMPLETED',
    ]);
    const { id } = whole[0]!.data.task;
    const resume = (n: unknown, verb = 'POST') =>
      restStream(base, verb, `/tasks/${id}:subscribe`, undefined, { 'last-event-id': String(n) });
    const rest = await readEvents(await resume(whole[2]!.id, 'GET'));
    expect(rest.map((frame) => frame.id)).toEqual(whole.slice(3).map((frame) => frame.id));
    const spent = (await (await resume(whole.at(-1)!.id)).json()) as any;
    expect(spent.error.details[0].reason).toBe('UNSUPPORTED_OPERATION');
    expect((await resume('')).status).toBe(400);
    const card = (await (await fetch(`${base}/.well-known/agent-card.json`)).json()) as any;
    expect(card.capabilities.extensions).toMatchObject([{ uri: RESUME_EXTENSION_URI }]);
  });

  it('says that a number of no event opens with the Task', async () => {
    await using served = await serve(platform, agentModule([StreamingAgent]));
    const { task } = (await rpc(served.base, 'SendMessage', M('hi', skillId('ask')))).body.result;
    const stream = await rpcStream(
      served.base,
      'SubscribeToTask',
      { id: task.id },
      { 'last-event-id': '99' },
    );
    let opening: SseFrame | undefined;
    for await (const frame of sse(stream)) if (frame.data && (opening = frame)) break;
    expect(opening!.data.result.task.id).toBe(task.id);
  });

  it('says what opens and ends a stream', async () => {
    await using served = await serve(platform, agentModule([StreamingAgent]));
    const { base } = served;
    const asked = await readEvents(await rpcStream(base, 'SendStreamingMessage', M('hi', skillId('ask'))));
    expect(kinds(asked)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_INPUT_REQUIRED']);
    const { id } = asked[0]!.data.result.task;
    const subscribed = await rpcStream(base, 'SubscribeToTask', { id });
    const follow = M('that', skillId('ask', { taskId: id }));
    const answered = await readEvents(await rpcStream(base, 'SendStreamingMessage', follow));
    expect(kinds(answered).at(0)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(kinds(answered).at(-1)).toBe('TASK_STATE_COMPLETED');
    const seen = await readEvents(subscribed);
    expect(kinds(seen)).toEqual(kinds(answered));
    const late = await rpc(base, 'SubscribeToTask', { id });
    expect(late.body.error!.data[0].reason).toBe('UNSUPPORTED_OPERATION');
    expect((await rest(base, 'POST', '/tasks/none:subscribe')).status).toBe(404);
  });

  it('says what silence brings, and an end', async () => {
    const transport = { keepAliveMs: 30, maxSubscribeIdleSeconds: 0.2 };
    await using served = await serve(platform, agentModule([StreamingAgent], { transport }));
    const extra = { ...skillId('wait'), configuration: { returnImmediately: true } };
    const { task } = (await rpc(served.base, 'SendMessage', M('hi', extra))).body.result;
    const frames: SseFrame[] = [];
    for await (const frame of sse(await rpcStream(served.base, 'SubscribeToTask', { id: task.id })))
      frames.push(frame);
    expect(frames.filter(({ comment }) => comment !== undefined).length).toBeGreaterThan(0);
    await rpc(served.base, 'CancelTask', { id: task.id });
  });

  it('shows a stream for the pages of an application', async () => {
    const module = agentModule([StreamingAgent], {}, { controllers: [guide.OrdersController] });
    await using served = await serve(platform, module);
    const { base } = served;
    const { task } = (await rpc(base, 'SendMessage', M('hi', skillId('ask')))).body.result;
    const page = await fetch(`${base}/orders/${task.id}/events`);
    await rpc(base, 'SendMessage', M('that', skillId('ask', { taskId: task.id })));
    const frames = (await readEvents(page)).filter(({ data }) => data);
    expect(frames.map(({ event }) => event)).toEqual([
      'task',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(frames.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect((await fetch(`${base}/orders/none/events`)).status).toBe(404);
  });
});
