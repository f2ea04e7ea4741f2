import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { TaskRunner } from './interfaces/task-runner.js';
import { OpenStreams } from './transports/open-streams.js';
import { SilentConnections } from './transports/silent-connections.js';

/**
 * Ends what is open when the application closes: first the runs, whose streams tell of it, then the streams that are
 * left, since a server does not close while it has any. It waits here, as connections and databases go later.
 */
@Injectable()
export class A2AShutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly runner: TaskRunner,
    private readonly streams: OpenStreams,
    private readonly silent: SilentConnections,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.drain();
    await this.streams.closeAll();
    this.silent.closeAll();
  }
}
