import { Injectable } from '@nestjs/common';
import { UnsafeUrlError, UrlGuard } from '../interfaces/url-guard.js';
import type { FieldViolation } from '../protocol/error-details.js';
import { InvalidParamsError } from '../protocol/errors.js';
import { isHeaderValue, isHttpToken } from '../protocol/header-value.js';
import type { TaskPushNotificationConfig } from '../protocol/model.js';

const ONE_LINE = 'must be text of one line that a header can hold';

/** Looks at a webhook before it is kept: where it leads, and whether what goes into its headers stays there. */
@Injectable()
export class WebhookCheck {
  constructor(private readonly urls: UrlGuard) {}

  /** Throws InvalidParamsError. `root` is where the config stands in the request. */
  async check(config: TaskPushNotificationConfig, root = ''): Promise<void> {
    const violations = headerViolations(config);
    try {
      await this.urls.check(config.url);
    } catch (error) {
      if (!(error instanceof UnsafeUrlError)) throw error;
      violations.push({ field: 'url', description: `is refused: it ${error.reason}` });
    }
    if (violations.length === 0) return;
    throw new InvalidParamsError(
      violations.map(({ field, description }) => ({ field: root + field, description })),
    );
  }
}

function headerViolations({ token = '', authentication }: TaskPushNotificationConfig): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const refuse = (field: string, description: string) => void violations.push({ field, description });
  if (!isHeaderValue(token)) refuse('token', ONE_LINE);
  if (!authentication) return violations;
  const { scheme, credentials = '' } = authentication;
  if (!isHttpToken(scheme)) refuse('authentication.scheme', 'must be the name of a scheme, as in "Bearer"');
  if (!isHeaderValue(credentials)) refuse('authentication.credentials', ONE_LINE);
  return violations;
}
