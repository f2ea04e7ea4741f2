// The module.
export { A2AModule } from './a2a.module.js';
export { A2ABootError } from './a2a.boot-error.js';
export type { A2AOptionsFactory } from './a2a.module-definition.js';
export {
  A2A_OPTIONS,
  type A2AModuleExtras,
  type A2AModuleOptions,
  type CorsOption,
  type ExecutionOptions,
  type IdempotencyOptions,
  type PortOption,
  type ResolvedOptions,
  type RecoveryOptions,
  type RetentionOptions,
  type TransportOptions,
} from './interfaces/module-options.js';
export type { LimitOptions } from './interfaces/limit-options.js';

// Agents.
export { AgentExecutor } from './decorators/agent-executor.decorator.js';
export { Skill, type SkillDecorator } from './decorators/skill.decorator.js';
export type {
  AgentExecutorOptions,
  AgentFeature,
  ExtendedCard,
  SkillOptions,
} from './interfaces/agent-options.js';
export { AgentRegistry, type AgentDefinition, type SkillDefinition } from './interfaces/agent-registry.js';
export { TaskEndedError, type Emission, type EventQueue } from './interfaces/event-queue.js';
export {
  RequestContext,
  type ContextHistoryOptions,
  type FetchPartOptions,
  type PartContent,
} from './interfaces/request-context.js';
export type { SkillAnswer, SkillEmission, SkillHandler, SkillResult } from './interfaces/skill-handler.js';
export {
  TaskHandle,
  type ArtifactOptions,
  type ArtifactWriter,
  type MessageInput,
  type TaskUpdater,
} from './interfaces/task-updater.js';
export {
  AgentCardVerificationError,
  type CardVerificationReason,
} from './agent-card/card-verification-error.js';
export type { TrustedKeys } from './agent-card/trusted-keys.js';
export {
  AgentCardVerifier,
  verifyAgentCard,
  type CardVerificationOptions,
  type VerifiedAgentCard,
} from './agent-card/verify-agent-card.js';
export { RESUME_EXTENSION_URI } from './agent-card/resume-extension.js';
export { a2aCall, type A2ACall } from './transports/a2a-call.js';

// Security: schemes of the card and what guards them.
export { A2ASchemeGuard, type A2ASchemeGuardOptions } from './guards/a2a-scheme.guard.js';
export { apiKey, type ApiKeyOptions } from './guards/schemes/api-key.js';
export { hostGuarded } from './guards/schemes/host-guarded.js';
export { httpBasic, type HttpBasicOptions } from './guards/schemes/http-basic.js';
export { httpBearer, type HttpBearerOptions, type ValidateOptions } from './guards/schemes/http-bearer.js';
export { mutualTls, type MutualTlsOptions } from './guards/schemes/mutual-tls.js';
export { oauth2, type OAuth2Options } from './guards/schemes/oauth2.js';
export { openIdConnect, type OpenIdConnectOptions } from './guards/schemes/open-id-connect.js';
export type { TrustedProxyOptions } from './guards/schemes/proxy-certificate.js';
export { safeEqual } from './protocol/safe-equal.js';
export type { ValidatedUser } from './guards/schemes/validated.js';
export type {
  Introspection,
  IntrospectionChecks,
  IntrospectionOptions,
} from './guards/tokens/introspector.js';
export type {
  JwksOptions,
  JwtChecks,
  JwtOptions,
  PublicKeyOptions,
  SecretOptions,
} from './guards/tokens/jwt-options.js';
export { PUBLIC_ACCESS } from './interfaces/requirements.js';
export type {
  Authenticator,
  CredentialSource,
  GuardedScheme,
  SchemeDeclaration,
  SchemeOutcome,
} from './interfaces/security.js';
export type { NotificationSecret, NotificationSigningOptions } from './interfaces/notification-signing.js';
export type { PushOptions } from './interfaces/push-options.js';
export type { CardSigningKey, CardSigningOptions, JsonWebKey } from './interfaces/card-signing.js';

// Receiving push notifications.
export { A2AWebhookModule } from './webhooks/webhook.module.js';
export type { A2AWebhookOptionsFactory } from './webhooks/webhook.module-definition.js';
export type {
  A2AWebhookModuleExtras,
  A2AWebhookModuleOptions,
  CredentialsCheck,
  DeduplicationOptions,
  ExpectedSecret,
  SignatureCheck,
} from './webhooks/webhook-options.js';
export {
  OnPushNotification,
  type PushNotificationDecorator,
} from './decorators/on-push-notification.decorator.js';
export type {
  NotificationDelivery,
  NotificationKind,
  PushNotificationFilter,
  PushNotificationHandler,
} from './interfaces/push-notification.js';
export { NotificationLedger, type NotificationClaim } from './interfaces/notification-ledger.js';
export { MemoryNotificationLedger } from './webhooks/memory-notification-ledger.js';

// Ports, which applications may replace.
export { A2AAudit, type AuditEvent } from './interfaces/audit.js';
export { AgentCardSigner } from './interfaces/card-signing.js';
export {
  UnsafeUrlError,
  UrlFetchError,
  UrlGuard,
  type UrlAnswer,
  type UrlFetchOptions,
} from './interfaces/url-guard.js';
export type { SecretKey, SecretsOptions } from './interfaces/secrets-options.js';
export type { HostLookup, UrlGuardOptions } from './interfaces/url-guard-options.js';
export { PublicUrlGuard } from './network/public-url-guard.js';
export { NotificationSigner, type UnsignedNotification } from './interfaces/notification-signing.js';
export { IdGenerator } from './interfaces/id-generator.js';
export { OwnerResolver } from './interfaces/owner-resolver.js';
export type {
  Delivery,
  DeliveryClaim,
  DeliveryState,
  StoredPushNotificationConfig,
} from './interfaces/push-delivery.js';
export { PushNotificationConfigStore } from './interfaces/push-notification-config-store.js';
export {
  PushNotificationMonitor,
  type PushNotificationEvent,
} from './interfaces/push-notification-monitor.js';
export { PushNotificationSender } from './interfaces/push-notification-sender.js';
export { A2AMaintenance, type PruneRequest, type PruneResult } from './execution/maintenance.js';
export { A2AReadiness } from './execution/readiness.js';
export {
  LeaseLostError,
  QueueManager,
  TaskLogClosedError,
  TaskLogExistsError,
  TaskLogFullError,
  TaskLogNotFoundError,
  type CancelCommand,
  type Lease,
  type LeaseRequest,
  type LoggedError,
  type LogEvent,
  type LogHead,
  type LogPruneOptions,
  type LogRecord,
  type MessageCommand,
  type RunState,
  type TaskCommand,
  type TaskOrigin,
} from './interfaces/queue-manager.js';
export type { Spare } from './interfaces/spare.js';
export { RequestHandler } from './interfaces/request-handler.js';
export {
  ServerCallContextBuilder,
  type A2AUser,
  type CallRequest,
  type ProtocolBinding,
  type ServerCallContext,
  type TraceContext,
} from './interfaces/server-call-context.js';
export { SkillRouter } from './interfaces/skill-router.js';
export {
  TaskEvents,
  TaskReader,
  type EventStream,
  type FollowOptions,
  type NumberedEvent,
  type OutcomeOptions,
  type TaskOutcome,
} from './interfaces/task-reader.js';
export { TaskRunner } from './interfaces/task-runner.js';
export {
  SnapshotConflictError,
  TaskStore,
  type PrunedTasks,
  type PruneOptions,
  type TaskCursor,
  type TaskPage,
  type TaskQuery,
  type TaskRecord,
  type TaskScope,
} from './interfaces/task-store.js';
export { MemoryQueueManager } from './events/memory-queue-manager.js';
export { MemoryPushNotificationConfigStore } from './stores/memory-push-notification-config-store.js';
export { MemoryTaskStore } from './stores/memory-task-store.js';
export { DefaultSkillRouter } from './request-handler/defaults/default-skill-router.js';
export { TenantOwnerResolver } from './request-handler/defaults/tenant-owner-resolver.js';
export { UserServerCallContextBuilder } from './request-handler/defaults/user-server-call-context-builder.js';
export { UuidGenerator } from './request-handler/defaults/uuid-generator.js';

// The protocol: its data model, builders and errors.
export type * from './protocol/model.js';
export { OPERATIONS, type OperationName } from './protocol/operations.js';
export { agentMessage, userMessage } from './protocol/messages.js';
export { dataPart, filePart, textPart, urlPart, type PartOptions } from './protocol/parts.js';
export {
  artifact,
  status,
  type AgentEvent,
  type ArtifactEvent,
  type Draft,
  type StatusEvent,
  type StatusOptions,
} from './protocol/events.js';
export { getText } from './protocol/text.js';
export { isInterrupted, isSettled, isTerminal, TASK_STATES } from './protocol/task-state.js';
export { AgentError } from './protocol/agent-error.js';
export {
  A2AError,
  ConflictError,
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  ExtensionSupportRequiredError,
  InternalError,
  InvalidAgentResponseError,
  InvalidParamsError,
  InvalidRequestError,
  JsonParseError,
  MethodNotAllowedError,
  MethodNotFoundError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  PushNotificationNotSupportedError,
  ResourceExhaustedError,
  RouteNotFoundError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnauthenticatedError,
  UnavailableError,
  UnsupportedOperationError,
  VersionNotSupportedError,
  type A2AErrorOptions,
  type RetryableErrorOptions,
} from './protocol/errors.js';
export type { ErrorDetail, FieldViolation } from './protocol/error-details.js';
export type { ErrorReason, SpecPatch, StatusName } from './protocol/error-table.js';
