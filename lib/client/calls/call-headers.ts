import { EXTENSIONS_HEADER, formatExtensions } from '../../protocol/extensions.js';
import type { A2AClientOptions, CallOptions } from '../client-options.js';

/**
 * The headers of one exchange: the client's, the call's, extensions and trace context. Names in lower case.
 * @param trusted whether it goes where the application's own headers may go.
 */
export function callHeaders(
  client: A2AClientOptions,
  call: CallOptions,
  trusted: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const own = trusted ? { ...client.headers, ...call.headers } : {};
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = value;
  const extensions = [...new Set([...(client.extensions ?? []), ...(call.extensions ?? [])])];
  if (extensions.length > 0) headers[EXTENSIONS_HEADER.toLowerCase()] = formatExtensions(extensions);
  const trace = call.trace ?? client.trace?.();
  if (trace) headers['traceparent'] = trace.traceparent;
  if (trace?.tracestate) headers['tracestate'] = trace.tracestate;
  return headers;
}
