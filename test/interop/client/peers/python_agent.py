"""Part of the scripted agent on the official Python SDK's server, for test/interop/client.

Needs `a2a-sdk[http-server]` and `uvicorn`. Prints `ready PORT`; `PORT=3905 python3 python_agent.py`.
"""

import asyncio
import os
import uuid

import uvicorn
from starlette.applications import Starlette

from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Message,
    Part,
    Role,
    Task,
    TaskState,
    TaskStatus,
)

PORT = int(os.environ.get('PORT', '3905'))
BASE = f'http://127.0.0.1:{PORT}'


class ScriptedExecutor(AgentExecutor):
    async def execute(self, context, event_queue):
        text = context.get_user_input()
        name, _, argument = text.partition(':')
        if name == 'message':
            answer = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_AGENT, parts=[Part(text='Hello')])
            await event_queue.enqueue_event(answer)
            return
        if not context.current_task:
            task = Task(
                id=context.task_id,
                context_id=context.context_id,
                status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
                history=[context.message],
            )
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if name == 'park':
            await updater.requires_input()
            return
        if name == 'finish':
            await updater.complete()
            return
        if name == 'boom':
            await updater.failed()
            return
        await updater.start_work()
        if name == 'slow':
            await self.chunks(updater, int(argument), 0.2)
        elif name == 'hold':
            await asyncio.sleep(int(argument) / 1000)
        else:
            await updater.add_artifact([Part(text=f'Hello, {text}')], last_chunk=True)
        await updater.complete()

    async def chunks(self, updater, count, seconds):
        artifact = str(uuid.uuid4())
        for i in range(count):
            await asyncio.sleep(seconds)
            await updater.add_artifact(
                [Part(text=f'c{i}')], artifact_id=artifact, append=i > 0, last_chunk=i == count - 1
            )

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


card = AgentCard(
    name='Scripted agent, in Python',
    description='Does what the text of a message says',
    version='1.0.0',
    supported_interfaces=[
        AgentInterface(url=f'{BASE}/a2a/jsonrpc', protocol_binding='JSONRPC', protocol_version='1.0'),
        AgentInterface(url=f'{BASE}/a2a/rest', protocol_binding='HTTP+JSON', protocol_version='1.0'),
    ],
    capabilities=AgentCapabilities(streaming=True, push_notifications=True, extended_agent_card=True),
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    skills=[AgentSkill(id='scripted', name='Scripted', description='See the README', tags=['test'])],
)
handler = DefaultRequestHandler(
    agent_executor=ScriptedExecutor(),
    task_store=InMemoryTaskStore(),
    agent_card=card,
    push_config_store=InMemoryPushNotificationConfigStore(),
    extended_agent_card=card,
)
app = Starlette(
    routes=[
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, '/a2a/jsonrpc'),
        *create_rest_routes(handler, path_prefix='/a2a/rest'),
    ]
)
print(f'ready {PORT}', flush=True)
uvicorn.run(app, host='127.0.0.1', port=PORT, log_level='warning')
