import type { LogHead, LogRecord, RunState, TaskOrigin } from '../interfaces/queue-manager.js';

/** A record as Redis answers it: `<number>-0` and its fields, names and values in turn. */
export type StreamEntry = readonly [id: string, fields: readonly string[]];

/** A head as the scripts show it. */
export type ShownHead = readonly [
  origin: string,
  sequence: number,
  first: number,
  token: number,
  holder: string,
  run: RunState,
  taken: number,
  closed: number,
];

export function toRecord([id, fields]: StreamEntry): LogRecord {
  const sequence = Number.parseInt(id, 10);
  // Commands and the last event of an append name the request that added them first.
  const [kind, json = '', , taken] = fields[0] === 'r' ? fields.slice(2) : fields;
  if (kind === 'c') return { sequence, command: JSON.parse(json) };
  return { sequence, event: JSON.parse(json), taken: Number(taken) };
}

export function toHead(taskId: string, shown: ShownHead): LogHead {
  const [origin, sequence, firstSequence, token, holder, runState, taken, closed] = shown;
  return {
    ...(JSON.parse(origin) as TaskOrigin),
    taskId,
    sequence,
    firstSequence,
    token,
    runState,
    taken,
    closed: closed === 1,
    ...(holder && { holder }),
  };
}

/** Heads are origins, too; only what is fixed is stored. */
export function fromOrigin({ agent, tenant, owner, contextId, skill }: TaskOrigin): string {
  return JSON.stringify({ agent, tenant, owner, contextId, skill });
}
