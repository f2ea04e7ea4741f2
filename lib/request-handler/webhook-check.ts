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
    const violations = [...headerViolations(config), ...(await this.#urlViolations(config.url))];
    if (violations.length === 0) return;
    throw new InvalidParamsError(
      violations.map(({ field, description }) => ({ field: root + field, description })),
    );
  }

  async #urlViolations(url: string): Promise<FieldViolation[]> {
    try {
      await this.urls.check(url);
      return [];
    } catch (error) {
      if (!(error instanceof UnsafeUrlError)) throw error;
      return [{ field: 'url', description: `is refused: it ${error.reason}` }];
    }
  }
}

function headerViolations({ token = '', authentication }: TaskPushNotificationConfig): FieldViolation[] {
  const { scheme, credentials = '' } = authentication ?? { scheme: 'Bearer' };
  return [
    ...(isHeaderValue(token) ? [] : [{ field: 'token', description: ONE_LINE }]),
    ...(isHttpToken(scheme)
      ? []
      : [{ field: 'authentication.scheme', description: 'must be the name of a scheme, as in "Bearer"' }]),
    ...(isHeaderValue(credentials) ? [] : [{ field: 'authentication.credentials', description: ONE_LINE }]),
  ];
}
