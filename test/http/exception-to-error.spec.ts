import * as nest from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { TaskNotFoundError } from '../../lib/protocol/errors.js';
import { toA2AError } from '../../lib/http/exception-to-error.js';

describe('toA2AError', () => {
  it.each([
    [new nest.BadRequestException(['a is bad', 'b is bad']), 'INVALID_PARAMS', 'a is bad; b is bad'],
    [new nest.UnauthorizedException('Who?'), 'UNAUTHENTICATED', 'Who?'],
    [new nest.ForbiddenException(), 'PERMISSION_DENIED', 'Forbidden'],
    [new nest.PayloadTooLargeException('Too much'), 'PAYLOAD_TOO_LARGE', 'Too much'],
    [new nest.HttpException('Slow down', 429), 'RESOURCE_EXHAUSTED', 'Slow down'],
    [new nest.RequestTimeoutException(), 'UNAVAILABLE', 'The agent is unavailable at the moment'],
    [new nest.ServiceUnavailableException(), 'UNAVAILABLE', 'The agent is unavailable at the moment'],
    [new nest.InternalServerErrorException('secret'), 'INTERNAL', 'Internal error'],
    [new Error('secret'), 'INTERNAL', 'Internal error'],
    ['secret', 'INTERNAL', 'Internal error'],
  ])('turns %s into %s', (exception, reason, message) => {
    expect(toA2AError(exception)).toMatchObject({ reason, message });
  });

  it('keeps what the log needs', () => {
    const exception = new nest.BadGatewayException('secret');
    expect(toA2AError(exception).cause).toBe(exception);
    const known = new TaskNotFoundError();
    expect(toA2AError(known)).toBe(known);
  });
});
