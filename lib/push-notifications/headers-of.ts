import { isHeaderValue } from '../protocol/header-value.js';
import { NOTIFICATION_ID_HEADER, NOTIFICATION_TOKEN_HEADER } from '../protocol/notification-headers.js';
import { PROTOCOL_VERSION, VERSION_HEADER } from '../protocol/version.js';
import type { TraceContext } from '../interfaces/server-call-context.js';
import type { StoredPushNotificationConfig } from '../interfaces/push-delivery.js';

/** Schemes whose receivers often compare the name letter by letter, although HTTP does not (RFC 9110, 11.1). */
const SPELLINGS = new Map(['Bearer', 'Basic', 'Digest'].map((name) => [name.toLowerCase(), name]));

/** The headers of a notification (§4.3.3), without those of a signature. */
export function headersOf(
  { token, authentication }: StoredPushNotificationConfig,
  id: string,
  trace?: TraceContext,
): Record<string, string> {
  const { scheme = '', credentials = '' } = authentication ?? {};
  return {
    'Content-Type': 'application/a2a+json',
    [VERSION_HEADER]: PROTOCOL_VERSION,
    [NOTIFICATION_ID_HEADER]: id,
    ...(trace && traceHeaders(trace)),
    ...(token && { [NOTIFICATION_TOKEN_HEADER]: token }),
    ...(credentials && { Authorization: `${SPELLINGS.get(scheme.toLowerCase()) ?? scheme} ${credentials}` }),
  };
}

/** What a builder of the application made of a call may be no header; no notification fails for that. */
function traceHeaders({ traceparent, tracestate }: TraceContext): Record<string, string> {
  if (!isHeaderValue(traceparent)) return {};
  return { traceparent, ...(tracestate && isHeaderValue(tracestate) && { tracestate }) };
}
