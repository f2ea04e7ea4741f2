export { A2AClient } from './a2a-client.js';
export { AgentConnection, type Resumption } from './agent-connection.js';
export {
  A2AClientError,
  AgentDiscoveryError,
  ClientClosedError,
  ClientTimeoutError,
  ProtocolViolationError,
  TransportError,
  UnexpectedAnswerError,
  type TimeoutPhase,
} from './client-errors.js';
export type { ClientInterceptor, OutgoingCall } from './client-interceptor.js';
export type { A2AClientOptions, AgentAddress, CallOptions, ClientBinding } from './client-options.js';
export {
  ClientTransport,
  type ClientCall,
  type ClientTimeouts,
  type ReceivedEvent,
  type UnaryOperationName,
} from './client-transport.js';
export type { RetryOptions } from './calls/retry-policy.js';
export { createA2AClient } from './create-a2a-client.js';
export { HttpPool, type ClientTlsOptions, type ConnectionPoolOptions } from './http/http-pool.js';
export { JsonRpcClientTransport } from './transports/json-rpc-client-transport.js';
export { RestClientTransport } from './transports/rest-client-transport.js';
