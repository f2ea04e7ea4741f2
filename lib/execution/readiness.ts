import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TaskRunner } from '../interfaces/task-runner.js';

/**
 * Whether this process takes new messages, for the readiness endpoint of an application: false before it has booted, and as soon as it begins to
 * shut down, when new sends are refused with 503 while running tasks may still end.
 *
 * @publicApi
 * @example
 * @Get('ready')
 * check(): void {
 *   if (!this.readiness.ready) throw new ServiceUnavailableException();
 * }
 */
@Injectable()
export class A2AReadiness implements OnApplicationBootstrap {
  #booted = false;

  constructor(private readonly runner: TaskRunner) {}

  get ready(): boolean {
    return this.#booted && this.runner.accepting;
  }

  onApplicationBootstrap(): void {
    this.#booted = true;
  }
}
