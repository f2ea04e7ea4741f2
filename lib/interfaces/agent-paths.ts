import type { ProtocolBinding } from './server-call-context.js';

/** Path of an agent that names none. */
export const DEFAULT_AGENT_PATH = 'a2a';

/** Where a binding is served, below its agent's path. */
export const BINDING_PATHS: Readonly<Record<ProtocolBinding, string>> = {
  JSONRPC: 'jsonrpc',
  'HTTP+JSON': 'rest',
};
