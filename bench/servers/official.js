// @ts-check
// The scripted agent's behaviours that the benchmark uses, on the official SDK's server for Express.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { ready } from './tell.js';

/** @import { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server' */

/** One run: publishes events of its task in the SDK's model. */
class Run {
  /** @param {RequestContext} context @param {ExecutionEventBus} bus */
  constructor(context, bus) {
    this.ids = { taskId: context.taskId, contextId: context.contextId };
    this.userMessage = context.userMessage;
    this.bus = bus;
  }

  submit() {
    const { taskId: id, contextId } = this.ids;
    const status = toStatus(TaskState.TASK_STATE_SUBMITTED);
    const history = [this.userMessage];
    this.bus.publish(AgentEvent.task({ id, contextId, status, history, artifacts: [], metadata: undefined }));
  }

  /** @param {TaskState} state */
  status(state) {
    this.bus.publish(AgentEvent.statusUpdate({ ...this.ids, status: toStatus(state), metadata: undefined }));
  }

  /** @param {string} text */
  artifact(text, { artifactId = randomUUID(), append = false, lastChunk = true } = {}) {
    const part = {
      content: { $case: /** @type {const} */ ('text'), value: text },
      metadata: undefined,
      filename: '',
      mediaType: '',
    };
    const artifact = {
      artifactId,
      name: '',
      description: '',
      parts: [part],
      metadata: undefined,
      extensions: [],
    };
    this.bus.publish(
      AgentEvent.artifactUpdate({ ...this.ids, artifact, append, lastChunk, metadata: undefined }),
    );
  }
}

/** @param {TaskState} state */
function toStatus(state) {
  return { state, message: undefined, timestamp: new Date().toISOString() };
}

/** @type {Record<string, (run: Run, n: number) => Promise<void>>} */
const BEHAVIOURS = {
  async quick(run) {
    run.artifact('Hello, quick');
  },
  async chunks(run, n) {
    const artifactId = randomUUID();
    for (let i = 0; i < n; i++) {
      run.artifact(`token-${i} `, { artifactId, append: i > 0, lastChunk: i === n - 1 });
    }
  },
  async hold(_run, ms) {
    await sleep(ms);
  },
};

/** @implements {AgentExecutor} */
class ScriptedExecutor {
  /** @param {RequestContext} context @param {ExecutionEventBus} bus */
  async execute(context, bus) {
    const run = new Run(context, bus);
    const content = context.userMessage.parts[0]?.content;
    const [name, n] = content?.$case === 'text' ? content.value.split(':') : [];
    const behaviour = BEHAVIOURS[name ?? ''];
    if (!behaviour) throw new Error(`The benchmark's agent cannot do ${name}`);
    run.submit();
    run.status(TaskState.TASK_STATE_WORKING);
    await behaviour(run, Number(n));
    run.status(TaskState.TASK_STATE_COMPLETED);
  }

  async cancelTask() {
    throw new Error('The benchmark cancels nothing');
  }
}

const binding = { protocolVersion: '1.0', tenant: '' };
const requestHandler = new DefaultRequestHandler(
  {
    name: 'Scripted agent',
    description: 'The benchmark on the official SDK',
    version: '1.0.0',
    supportedInterfaces: [
      { ...binding, url: 'http://127.0.0.1/a2a/jsonrpc', protocolBinding: 'JSONRPC' },
      { ...binding, url: 'http://127.0.0.1/a2a/rest', protocolBinding: 'HTTP+JSON' },
    ],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  },
  new InMemoryTaskStore(),
  new ScriptedExecutor(),
);

const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
const app = express();
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/a2a/jsonrpc', jsonRpcHandler(options));
app.use('/a2a/rest', restHandler(options));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  ready(address.port);
});
