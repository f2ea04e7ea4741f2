import { Injectable } from '@nestjs/common';
import { randomId } from '../../protocol/random-id.js';
import { IdGenerator } from '../../interfaces/id-generator.js';

/** Random UUIDs for everything. */
@Injectable()
export class UuidGenerator extends IdGenerator {
  override taskId(): string {
    return randomId();
  }

  override contextId(): string {
    return randomId();
  }

  override artifactId(): string {
    return randomId();
  }

  override messageId(): string {
    return randomId();
  }

  override pushNotificationConfigId(): string {
    return randomId();
  }
}
