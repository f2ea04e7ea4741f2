import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { noteLegacyBlocking } from '../../lib/transports/legacy-blocking.js';

afterEach(() => vi.restoreAllMocks());

it('a legacy `blocking` is noted once per process (C23)', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  for (const params of [undefined, {}, { configuration: null }, { configuration: { historyLength: 1 } }])
    noteLegacyBlocking(params);
  expect(warn).not.toHaveBeenCalled();
  noteLegacyBlocking({ configuration: { blocking: false } });
  noteLegacyBlocking({ configuration: { blocking: true } });
  expect(warn).toHaveBeenCalledOnce();
  expect(warn.mock.calls[0]![0]).toContain('returnImmediately');
});
