import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentCard, Role, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultExecutionEventBusManager,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import type { Peer } from './peer.js';

/** Part of the scripted agent on the official JavaScript SDK's server, with its own defaults. */
export async function startSdkAgent(): Promise<Peer> {
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = cardAt(base);
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    new ScriptedExecutor(),
    new DefaultExecutionEventBusManager(),
    new InMemoryPushNotificationStore(),
    // Tests of configurations need no deliveries.
    { send: async () => undefined },
    async () => ({ ...card, description: 'Shown to those who ask' }),
  );
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/a2a/jsonrpc', jsonRpcHandler(options));
  app.use('/a2a/rest', restHandler(options));
  return {
    base,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class ScriptedExecutor implements AgentExecutor {
  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage, task } = context;
    const ids = { taskId, contextId };
    const content = userMessage.parts[0]?.content;
    const text = content?.$case === 'text' ? content.value : '';
    const [name, argument] = text.split(':');
    const status = (state: TaskState): void =>
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: statusOf(state), metadata: undefined }));
    const artifact = (
      part: string,
      { artifactId = randomUUID() as string, append = false, lastChunk = true } = {},
    ) => bus.publish(AgentEvent.artifactUpdate({ ...ids, ...chunkOf(part, artifactId), append, lastChunk }));

    if (name === 'message') {
      bus.publish(AgentEvent.message({ ...agentMessage('Hello'), contextId }));
      bus.finished();
      return;
    }
    if (!task) {
      const opening = { status: statusOf(TaskState.TASK_STATE_SUBMITTED), history: [userMessage] };
      bus.publish(AgentEvent.task({ id: taskId, contextId, ...opening, artifacts: [], metadata: undefined }));
    }
    if (name === 'park') return status(TaskState.TASK_STATE_INPUT_REQUIRED);
    if (name === 'finish') return status(TaskState.TASK_STATE_COMPLETED);
    if (name === 'boom') return status(TaskState.TASK_STATE_FAILED);
    status(TaskState.TASK_STATE_WORKING);
    if (name === 'slow') {
      const artifactId = randomUUID();
      const count = Number(argument);
      for (let i = 0; i < count; i++) {
        await sleep(200);
        artifact(`c${i}`, { artifactId, append: i > 0, lastChunk: i === count - 1 });
      }
    } else if (name === 'hold') {
      await sleep(Number(argument));
    } else {
      artifact(`Hello, ${text}`);
    }
    status(TaskState.TASK_STATE_COMPLETED);
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const status = statusOf(TaskState.TASK_STATE_CANCELED);
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
    bus.finished();
  }
}

function statusOf(state: TaskState) {
  return { state, message: undefined, timestamp: new Date().toISOString() };
}

function partOf(value: string) {
  const content = { $case: 'text' as const, value };
  return { content, metadata: undefined, filename: '', mediaType: '' };
}

function chunkOf(text: string, artifactId: string) {
  const artifact = { artifactId, name: '', description: '', parts: [partOf(text)], extensions: [] };
  return { artifact: { ...artifact, metadata: undefined }, metadata: undefined };
}

function agentMessage(text: string) {
  return {
    messageId: randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [partOf(text)],
    taskId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function cardAt(base: string): AgentCard {
  const version = { protocolVersion: '1.0', tenant: '' };
  return {
    name: 'Scripted agent, on the JavaScript SDK',
    description: 'Does what the text of a message says',
    version: '1.0.0',
    supportedInterfaces: [
      { ...version, url: `${base}/a2a/jsonrpc`, protocolBinding: 'JSONRPC' },
      { ...version, url: `${base}/a2a/rest`, protocolBinding: 'HTTP+JSON' },
    ],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
}
