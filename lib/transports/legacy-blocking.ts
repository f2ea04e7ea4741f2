import { Logger } from '@nestjs/common';

let noted = false;

/** Says once that a caller still sets `configuration.blocking`, which v1.0 does not know: it is ignored, and a caller may wait for nothing. */
export function noteLegacyBlocking(params: unknown): void {
  if (noted) return;
  const { configuration } = (params ?? {}) as { configuration?: unknown };
  if (typeof configuration !== 'object' || configuration === null || !('blocking' in configuration)) return;
  noted = true;
  new Logger('A2A').warn(
    'A client sends configuration.blocking, which A2A 1.0 does not know and which is ignored: it should send configuration.returnImmediately instead',
  );
}
