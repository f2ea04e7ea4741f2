import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { A2AReadiness } from 'nest-a2a';

/** For load balancers: a process that shuts down takes no new messages, and says so before it is gone. */
@Controller()
export class ReadyController {
  constructor(private readonly readiness: A2AReadiness) {}

  @Get('ready')
  check() {
    if (!this.readiness.ready) throw new ServiceUnavailableException('Not ready');
    return { ready: true };
  }
}
