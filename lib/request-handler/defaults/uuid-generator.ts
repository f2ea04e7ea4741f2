import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IdGenerator } from '../../interfaces/id-generator.js';

/** Random UUIDs for everything. */
@Injectable()
export class UuidGenerator extends IdGenerator {
  override taskId(): string {
    return randomUUID();
  }

  override contextId(): string {
    return randomUUID();
  }

  override artifactId(): string {
    return randomUUID();
  }

  override messageId(): string {
    return randomUUID();
  }

  override pushNotificationConfigId(): string {
    return randomUUID();
  }
}
