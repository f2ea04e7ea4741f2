import { EXTENSIONS_HEADER, formatExtensions } from '../../protocol/extensions.js';
import type { A2AClientOptions, CallOptions } from '../client-options.js';

/** The headers of one exchange: the client's, the call's, extensions and trace context. Names in lower case. */
export function callHeaders(client: A2AClientOptions, call: CallOptions = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...client.headers, ...call.headers }))
    headers[name.toLowerCase()] = value;
  const extensions = [...new Set([...(client.extensions ?? []), ...(call.extensions ?? [])])];
  if (extensions.length > 0) headers[EXTENSIONS_HEADER.toLowerCase()] = formatExtensions(extensions);
  const trace = call.trace ?? client.trace?.();
  if (trace) headers['traceparent'] = trace.traceparent;
  if (trace?.tracestate) headers['tracestate'] = trace.tracestate;
  return headers;
}
