import { MemoryQueueManager, MemoryTaskStore } from 'nest-a2a';
import type { Type } from '@nestjs/common';
import { afterAll, beforeAll } from 'vitest';
import { OPTIONAL_USERS, serveApp, type ServedApp } from '../../conformance/support/app.js';
import { loadBacking } from '../../fixtures/backing/load-backing.js';
import { type Backing, type BackingKind, createBacking } from '../../support/backing.js';
import { describeWithServers } from './replicas.js';

/** Two applications over one backing, each with connections of its own, where a test has to reach inside. */
export interface TwoApps {
  readonly a: ServedApp;
  readonly b: ServedApp;
}

/** A suite over two applications in this process; both end with it. */
export function describeTwoApps(
  name: string,
  kind: BackingKind,
  agent: Type,
  body: (apps: () => TwoApps) => void,
): void {
  describeWithServers(name, kind, () => {
    let backing: Backing | undefined;
    let apps: TwoApps | undefined;

    beforeAll(async () => {
      backing = await createBacking(kind);
      // What is in memory, both have the same of.
      const shared =
        kind.STORE === 'memory'
          ? { taskStore: new MemoryTaskStore(), queueManager: new MemoryQueueManager() }
          : {};
      const serve = async (platform: 'fastify' | 'express'): Promise<ServedApp> => {
        const { imports, options } = await loadBacking(backing!.settings);
        const execution = { cancelGraceMs: 1_000 };
        return serveApp(platform, {
          agents: [agent],
          imports,
          options: { ...options, ...shared, execution },
          providers: [OPTIONAL_USERS],
        });
      };
      apps = { a: await serve('fastify'), b: await serve('express') };
    }, 60_000);
    afterAll(async () => {
      await Promise.all([apps?.a.close(), apps?.b.close()]);
      await backing?.drop();
    }, 60_000);

    body(() => apps!);
  });
}
