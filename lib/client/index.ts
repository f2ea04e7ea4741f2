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
export type {
  A2AClientOptions,
  AgentAddress,
  CallOptions,
  ClientBinding,
  ClientDefaults,
} from './client-options.js';
export {
  ClientTransport,
  type ClientCall,
  type ClientTimeouts,
  type ReceivedEvent,
  type ReceivedEvents,
  type UnaryOperationName,
} from './client-transport.js';
export type { RetryOptions } from './calls/retry-policy.js';
export { A2AClientModule } from './module/client.module.js';
export type {
  A2AClientAsyncRegistration,
  A2AClientModuleExtras,
  A2AClientRegistration,
  A2AClientSettings,
  A2AClientSettingsFactory,
} from './module/client-registration.js';
export { getA2AClientToken, InjectA2AClient } from '../decorators/inject-a2a-client.decorator.js';
export { createA2AClient } from './create-a2a-client.js';
export { HttpPool, type ClientTlsOptions, type ConnectionPoolOptions } from './http/http-pool.js';
export { JsonRpcClientTransport } from './transports/json-rpc-client-transport.js';
export { RestClientTransport } from './transports/rest-client-transport.js';
export { apiKeyCredential } from './auth/api-key-credential.js';
export { AuthInterceptor, type AuthInterceptorOptions } from './auth/auth-interceptor.js';
export type { ClientAuthOptions } from './auth/auth-options.js';
export { basicAuth } from './auth/basic-auth.js';
export { bearer } from './auth/bearer.js';
export { connectionCertificate } from './auth/connection-certificate.js';
export type { Credential, CredentialKind, CredentialQuery } from './auth/credential.js';
export { MissingCredentialsError, UnusableCredentialError } from './auth/credential-errors.js';
export { CredentialService } from './auth/credential-service.js';
export { InMemoryCredentialService, type Credentials } from './auth/memory-credential-service.js';
export { Secret } from './auth/secret.js';
export type { CredentialOptions, Supplier, SupplyQuery } from './auth/supplied-credential.js';
export { ArtifactAggregator } from './conversation/artifact-aggregator.js';
export type { AskOptions, Question, TaskReference } from './conversation/ask.js';
export type {
  AskResult,
  CompletedResult,
  MessageResult,
  PausedResult,
  TaskResult,
  UnsuccessfulResult,
} from './conversation/ask-result.js';
export type { WaitOptions } from './conversation/wait-for.js';
export type { EventIterator } from './streams/event-iterator.js';
export type { ResumeOptions } from './streams/resume-options.js';
export { isResync } from './streams/resync.js';
export { StreamInterruptedError, type Interruption } from './streams/stream-interrupted-error.js';
export type { StreamOptions, SubscribeOptions } from './streams/stream-options.js';
export { clientCredentials } from './auth/oauth/client-credentials.js';
export { deviceCode, type DeviceCodeOptions, type DevicePrompt } from './auth/oauth/device-code.js';
export type { OAuthOptions } from './auth/oauth/oauth-options.js';
export { TokenRequestError } from './auth/oauth/token-request-error.js';
