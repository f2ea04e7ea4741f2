import { afterAll, beforeAll, describe } from 'vitest';
import { type Binding, Peer } from '../../conformance/support/peer.js';
import { type Backing, type BackingKind, createBacking, serversOf } from '../../support/backing.js';
import { type FixtureProcess, Processes } from '../../support/processes.js';
import { describeWithServer } from '../../support/servers.js';

/** Processes over one backing: A and B serve; where runs are queued, a worker does what they accept. */
export interface Replicas {
  readonly a: FixtureProcess;
  readonly b: FixtureProcess;
  /** Talks to A over JSON-RPC, signed in: everybody is somebody here, so that owners are at work in every check. */
  onA(user?: string): Peer;
  /** Talks to B over HTTP+JSON. */
  onB(user?: string): Peer;
}

/** Where the processes of a suite come from. */
export interface ReplicaHost {
  readonly replicas: Replicas;
  readonly processes: Processes;
}

/** How long a run may ignore its signal. An end within a second shows that the signal came. */
export const GRACE_MS = 2_000;

const ENVIRONMENT = {
  AUTH: 'bearer',
  CANCEL_GRACE_MS: String(GRACE_MS),
  IDEMPOTENCY_MS: '60000',
};

/** A suite over processes of its own, which end with it. */
export function describeReplicas(
  name: string,
  kind: BackingKind,
  body: (replicas: () => Replicas) => void,
): void {
  describeProcesses(name, kind, ENVIRONMENT, (processes) => {
    let replicas: Replicas;
    beforeAll(async () => {
      replicas = await startReplicas(processes(), kind);
    }, 60_000);
    body(() => replicas);
  });
}

/** A suite that starts processes over a backing of its own; both end with it. */
export function describeProcesses(
  name: string,
  kind: BackingKind,
  env: NodeJS.ProcessEnv,
  body: (processes: () => Processes) => void,
): void {
  describeWithServers(name, kind, () => {
    let backing: Backing | undefined;
    let processes: Processes | undefined;
    beforeAll(async () => {
      backing = await createBacking(kind);
      processes = new Processes({ ...backing.env, ...env });
    });
    afterAll(async () => {
      await processes?.end();
      await backing?.drop();
    });
    body(() => processes!);
  });
}

async function startReplicas(processes: Processes, { RUNNER }: BackingKind): Promise<Replicas> {
  const role = RUNNER === 'bullmq' ? { ROLE: 'web' } : {};
  const [a, b] = await Promise.all([
    processes.start({ ...role, ADAPTER: 'fastify' }),
    processes.start({ ...role, ADAPTER: 'express' }),
    ...(RUNNER === 'bullmq' ? [processes.start({ ROLE: 'worker' })] : []),
  ]);
  return {
    a,
    b,
    onA: (user) => peerOf(a, 'JSONRPC', user),
    onB: (user) => peerOf(b, 'HTTP+JSON', user),
  };
}

export function peerOf({ base }: Pick<FixtureProcess, 'base'>, binding: Binding, user = 'ada'): Peer {
  return new Peer(`${base}/a2a`, binding).as(user);
}

/** The suite runs when all servers of the backing can be reached. */
export function describeWithServers(name: string, kind: BackingKind, body: () => void): void {
  const [server, ...more] = serversOf(kind);
  if (server === undefined) return void describe(name, body);
  const inner = more.reduce((nested, other) => () => describeWithServer('and', other, nested), body);
  describeWithServer(name, server, inner);
}
