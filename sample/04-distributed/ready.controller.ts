import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { TaskRunner } from 'nest-a2a';

/** For the load balancer: a process that shuts down takes no new messages, and says so before it is gone. */
@Controller()
export class ReadyController {
  constructor(private readonly runner: TaskRunner) {}

  @Get('ready')
  ready() {
    if (!this.runner.accepting) throw new ServiceUnavailableException('Shutting down');
    return { ready: true };
  }
}
