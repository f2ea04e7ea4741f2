// Written by tools/protoc-gen-a2a-model.js from lf/a2a/v1/a2a.proto. Do not edit.

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
/** Any JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** How the door reads one field. */
export interface Field {
  /** Name in JSON. */
  readonly name: string;
  /** Name in the proto file, accepted as well. */
  readonly proto: string;
  readonly kind: 'string' | 'bool' | 'int32' | 'bytes' | 'struct' | 'value' | 'timestamp' | 'enum' | 'message';
  /** Name of the message or enum. */
  readonly type?: string;
  readonly label?: 'list' | 'map';
  readonly required?: true;
  /** The field tells "set to its default" from "not set". */
  readonly presence?: true;
  /** The group of which at most one member is set. */
  readonly oneof?: string;
}

/** The life of a task. */
export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

/** Who speaks. */
export type Role =
  | 'ROLE_USER'
  | 'ROLE_AGENT';

/** How the caller wants a send to be answered. */
export interface SendMessageConfiguration {
  /** Media types that the caller can take. */
  acceptedOutputModes?: string[];
  /** A webhook for the task of this message; its `task_id` is not needed. */
  taskPushNotificationConfig?: TaskPushNotificationConfig;
  /** How many of the newest messages to return: 0 for none, unset for as many as the agent likes. */
  historyLength?: number;
  /** Answer as soon as there is a task instead of waiting until it ends or is interrupted. */
  returnImmediately?: boolean;
}

/** One unit of work that an agent does for a client. */
export interface Task {
  /** Made by the agent. */
  id: string;
  /** Groups the tasks and messages of one conversation. */
  contextId?: string;
  status: TaskStatus;
  /** What was produced so far. */
  artifacts?: Artifact[];
  /** The messages of both sides, oldest first. */
  history?: Message[];
  /** Free data of the parties. */
  metadata?: JsonObject;
}

/** Where a task stands, and since when. */
export interface TaskStatus {
  state: TaskState;
  /** What the agent says about this status. */
  message?: Message;
  /** When the status was set, in UTC. */
  timestamp?: string;
}

/** One piece of content. Exactly one member of `content` is set. */
export type Part = {
  /** Free data of the parties. */
  metadata?: JsonObject;
  /** Name of the file, as in `report.pdf`. */
  filename?: string;
  /** Media type (RFC 6838) of the content. */
  mediaType?: string;
} & (
  | {
      /** Plain or marked-up text. */
      text: string;
      raw?: never;
      url?: never;
      data?: never;
    }
  | {
      text?: never;
      /** The bytes of a file. */
      raw: string;
      url?: never;
      data?: never;
    }
  | {
      text?: never;
      raw?: never;
      /** Where a file can be fetched. */
      url: string;
      data?: never;
    }
  | {
      text?: never;
      raw?: never;
      url?: never;
      /** Any JSON value, `null` included. */
      data: JsonValue;
    }
);

/** One turn of the conversation between a client and an agent. */
export interface Message {
  /** Made by the sender, unique for the sender. */
  messageId: string;
  /** The conversation this belongs to; the agent picks one when it is unset. */
  contextId?: string;
  /** The task this goes on with; unset starts a new task. */
  taskId?: string;
  /** Who speaks. */
  role: Role;
  /** What is said; at least one part. */
  parts: Part[];
  /** Free data of the parties. */
  metadata?: JsonObject;
  /** URIs of the extensions that shaped this message. */
  extensions?: string[];
  /** Other tasks that give background. */
  referenceTaskIds?: string[];
}

/** Something a task produced. */
export interface Artifact {
  /** Unique within the task. */
  artifactId: string;
  /** A title for people. */
  name?: string;
  description?: string;
  /** The content; at least one part. */
  parts: Part[];
  /** Free data of the parties. */
  metadata?: JsonObject;
  /** URIs of the extensions that shaped this artifact. */
  extensions?: string[];
}

/** Tells a reader that the status of a task changed. */
export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  /** Free data of the parties. */
  metadata?: JsonObject;
}

/** Tells a reader that a task produced an artifact, or more of one. */
export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  /** Add the parts to the artifact with the same id instead of replacing it. */
  append?: boolean;
  /** Nothing will be added to the artifact after this. */
  lastChunk?: boolean;
  /** Free data of the parties. */
  metadata?: JsonObject;
}

/** How the agent shall authenticate itself to a webhook. */
export interface AuthenticationInfo {
  /** An HTTP authentication scheme, as in `Bearer`; upper and lower case are the same. */
  scheme: string;
  /** What follows the scheme in the Authorization header. */
  credentials?: string;
}

/** One address at which the agent speaks one protocol binding. */
export interface AgentInterface {
  /** An absolute URL, HTTPS in production. */
  url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or the URI of a binding of one's own. */
  protocolBinding: string;
  /** To be sent as `tenant` with every request to this address. */
  tenant?: string;
  /** Major and minor version, as in `1.0`. */
  protocolVersion: string;
}

/** What an agent says about itself: who it is, where it is, what it can do and how callers identify themselves. */
export interface AgentCard {
  /** A name for people. */
  name: string;
  /** What the agent is for. */
  description: string;
  /** In the order of the agent's preference. */
  supportedInterfaces: AgentInterface[];
  provider?: AgentProvider;
  /** Version of the agent, not of the protocol. */
  version: string;
  documentationUrl?: string;
  capabilities: AgentCapabilities;
  /** By the names that `security_requirements` uses. */
  securitySchemes?: Record<string, SecurityScheme>;
  /** Satisfying one of them is enough. */
  securityRequirements?: SecurityRequirement[];
  /** Media types that every skill takes unless it names its own. */
  defaultInputModes: string[];
  /** Media types that every skill gives unless it names its own. */
  defaultOutputModes: string[];
  skills: AgentSkill[];
  signatures?: AgentCardSignature[];
  iconUrl?: string;
}

/** Who runs the agent. */
export interface AgentProvider {
  /** The provider's site. */
  url: string;
  organization: string;
}

/** The optional features of the protocol that the agent offers. */
export interface AgentCapabilities {
  /** SendStreamingMessage and SubscribeToTask work. */
  streaming?: boolean;
  /** Webhooks work. */
  pushNotifications?: boolean;
  extensions?: AgentExtension[];
  /** Identified callers may get a fuller card. */
  extendedAgentCard?: boolean;
}

/** An extension of the protocol that the agent understands. */
export interface AgentExtension {
  uri?: string;
  description?: string;
  /** Callers that do not activate the extension are refused. */
  required?: boolean;
  /** Settings, as the extension defines them. */
  params?: JsonObject;
}

/** One thing the agent is good at. */
export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  /** Keywords to find the skill by. */
  tags: string[];
  /** Things one may say to the agent. */
  examples?: string[];
  inputModes?: string[];
  outputModes?: string[];
  /** Needed on top of the card's. */
  securityRequirements?: SecurityRequirement[];
}

/** A JSON Web Signature (RFC 7515) over the canonical form of the card. */
export interface AgentCardSignature {
  /** The protected JWS header, base64url. */
  protected: string;
  /** The signature, base64url. */
  signature: string;
  /** The unprotected JWS header. */
  header?: JsonObject;
}

/** A webhook that is told about the updates of one task. */
export interface TaskPushNotificationConfig {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  /** Unique within the task; the agent picks one when it is unset. */
  id?: string;
  taskId?: string;
  /** Where the updates are POSTed. */
  url: string;
  /** Sent along so that the receiver knows its own subscription. */
  token?: string;
  authentication?: AuthenticationInfo;
}

/** A list of strings, for use as a map value. */
export interface StringList {
  list?: string[];
}

/** Schemes that must all be satisfied together, each with the scopes it needs. */
export interface SecurityRequirement {
  /** Name of a scheme to the scopes it needs. */
  schemes?: Record<string, StringList>;
}

/** One way in which callers identify themselves. Exactly one member is set. */
export type SecurityScheme = {
} & (
  | {
      apiKeySecurityScheme: APIKeySecurityScheme;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme: HTTPAuthSecurityScheme;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme: OAuth2SecurityScheme;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
      mtlsSecurityScheme?: never;
    }
  | {
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme: MutualTlsSecurityScheme;
    }
);

/** An API key in a header, a query parameter or a cookie. */
export interface APIKeySecurityScheme {
  description?: string;
  /** `header`, `query` or `cookie`. */
  location: string;
  name: string;
}

/** A scheme of the HTTP Authorization header. */
export interface HTTPAuthSecurityScheme {
  description?: string;
  /** As registered with IANA, as in `Bearer`. */
  scheme: string;
  /** What a bearer token looks like, as in `JWT`; for documentation only. */
  bearerFormat?: string;
}

/** OAuth 2.0. */
export interface OAuth2SecurityScheme {
  description?: string;
  flows: OAuthFlows;
  /** Authorization server metadata (RFC 8414). */
  oauth2MetadataUrl?: string;
}

/** OpenID Connect with discovery. */
export interface OpenIdConnectSecurityScheme {
  description?: string;
  /** The discovery document. */
  openIdConnectUrl: string;
}

/** A client certificate. */
export interface MutualTlsSecurityScheme {
  description?: string;
}

/** The OAuth 2.0 flow to use. Exactly one member is set. */
export type OAuthFlows = {
} & (
  | {
      authorizationCode: AuthorizationCodeOAuthFlow;
      clientCredentials?: never;
      implicit?: never;
      password?: never;
      deviceCode?: never;
    }
  | {
      authorizationCode?: never;
      clientCredentials: ClientCredentialsOAuthFlow;
      implicit?: never;
      password?: never;
      deviceCode?: never;
    }
  | {
      authorizationCode?: never;
      clientCredentials?: never;
      /** @deprecated */
      implicit: ImplicitOAuthFlow;
      password?: never;
      deviceCode?: never;
    }
  | {
      authorizationCode?: never;
      clientCredentials?: never;
      implicit?: never;
      /** @deprecated */
      password: PasswordOAuthFlow;
      deviceCode?: never;
    }
  | {
      authorizationCode?: never;
      clientCredentials?: never;
      implicit?: never;
      password?: never;
      deviceCode: DeviceCodeOAuthFlow;
    }
);

/** The authorization code flow. */
export interface AuthorizationCodeOAuthFlow {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string;
  /** Scope to description. */
  scopes: Record<string, string>;
  /** Whether PKCE (RFC 7636) is mandatory. */
  pkceRequired?: boolean;
}

/** The client credentials flow. */
export interface ClientCredentialsOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string;
  /** Scope to description. */
  scopes: Record<string, string>;
}

/** The implicit flow, which OAuth 2.1 removed. */
export interface ImplicitOAuthFlow {
  authorizationUrl?: string;
  refreshUrl?: string;
  /** Scope to description. */
  scopes?: Record<string, string>;
}

/** The password flow, which OAuth 2.1 removed. */
export interface PasswordOAuthFlow {
  tokenUrl?: string;
  refreshUrl?: string;
  /** Scope to description. */
  scopes?: Record<string, string>;
}

/** The device authorization flow (RFC 8628). */
export interface DeviceCodeOAuthFlow {
  deviceAuthorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string;
  /** Scope to description. */
  scopes: Record<string, string>;
}

/** Asks for SendMessage and SendStreamingMessage. */
export interface SendMessageRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  message: Message;
  configuration?: SendMessageConfiguration;
  /** Free data of the parties. */
  metadata?: JsonObject;
}

/** Asks for GetTask. */
export interface GetTaskRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  id: string;
  /** How many of the newest messages to return: 0 for none, unset for as many as the agent likes. */
  historyLength?: number;
}

/** Asks for ListTasks. Every member but the paging ones narrows the result. */
export interface ListTasksRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  /** Only tasks of this conversation. */
  contextId?: string;
  /** Only tasks in this state. */
  status?: TaskState;
  /** Between 1 and 100; 50 when unset. */
  pageSize?: number;
  /** Where to go on: `next_page_token` of the page before. */
  pageToken?: string;
  /** How many of the newest messages to return: 0 for none, unset for as many as the agent likes. */
  historyLength?: number;
  /** Only tasks whose status was set at this time or later. */
  statusTimestampAfter?: string;
  /** Whether tasks come with their artifacts; they do not when unset. */
  includeArtifacts?: boolean;
}

/** One page of tasks. */
export interface ListTasksResponse {
  tasks: Task[];
  /** Where the next page starts; empty on the last page. */
  nextPageToken: string;
  /** The page size that was used. */
  pageSize: number;
  /** How many tasks match, on all pages together. */
  totalSize: number;
}

/** Asks for CancelTask. */
export interface CancelTaskRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  id: string;
  /** Free data of the parties. */
  metadata?: JsonObject;
}

/** Asks for GetTaskPushNotificationConfig. */
export interface GetTaskPushNotificationConfigRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  taskId: string;
  id: string;
}

/** Asks for DeleteTaskPushNotificationConfig. */
export interface DeleteTaskPushNotificationConfigRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  taskId: string;
  id: string;
}

/** Asks for SubscribeToTask. */
export interface SubscribeToTaskRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  id: string;
}

/** Asks for ListTaskPushNotificationConfigs. */
export interface ListTaskPushNotificationConfigsRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
  taskId: string;
  pageSize?: number;
  /** Where to go on: `next_page_token` of the page before. */
  pageToken?: string;
}

/** Asks for GetExtendedAgentCard. */
export interface GetExtendedAgentCardRequest {
  /** The tenant that is addressed; also the optional first segment of the HTTP path. */
  tenant?: string;
}

/** The answer to SendMessage: a task that was worked on, or a direct message. */
export type SendMessageResponse = {
} & (
  | {
      task: Task;
      message?: never;
    }
  | {
      task?: never;
      message: Message;
    }
);

/** One event of a stream, and the body of a push notification. Exactly one member is set. */
export type StreamResponse = {
} & (
  | {
      task: Task;
      message?: never;
      statusUpdate?: never;
      artifactUpdate?: never;
    }
  | {
      task?: never;
      message: Message;
      statusUpdate?: never;
      artifactUpdate?: never;
    }
  | {
      task?: never;
      message?: never;
      statusUpdate: TaskStatusUpdateEvent;
      artifactUpdate?: never;
    }
  | {
      task?: never;
      message?: never;
      statusUpdate?: never;
      artifactUpdate: TaskArtifactUpdateEvent;
    }
);

/** One page of webhooks. */
export interface ListTaskPushNotificationConfigsResponse {
  configs?: TaskPushNotificationConfig[];
  /** Where the next page starts; empty on the last page. */
  nextPageToken?: string;
}

/** Every message by its name. */
export interface A2AModel {
  SendMessageConfiguration: SendMessageConfiguration;
  Task: Task;
  TaskStatus: TaskStatus;
  Part: Part;
  Message: Message;
  Artifact: Artifact;
  TaskStatusUpdateEvent: TaskStatusUpdateEvent;
  TaskArtifactUpdateEvent: TaskArtifactUpdateEvent;
  AuthenticationInfo: AuthenticationInfo;
  AgentInterface: AgentInterface;
  AgentCard: AgentCard;
  AgentProvider: AgentProvider;
  AgentCapabilities: AgentCapabilities;
  AgentExtension: AgentExtension;
  AgentSkill: AgentSkill;
  AgentCardSignature: AgentCardSignature;
  TaskPushNotificationConfig: TaskPushNotificationConfig;
  StringList: StringList;
  SecurityRequirement: SecurityRequirement;
  SecurityScheme: SecurityScheme;
  APIKeySecurityScheme: APIKeySecurityScheme;
  HTTPAuthSecurityScheme: HTTPAuthSecurityScheme;
  OAuth2SecurityScheme: OAuth2SecurityScheme;
  OpenIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
  MutualTlsSecurityScheme: MutualTlsSecurityScheme;
  OAuthFlows: OAuthFlows;
  AuthorizationCodeOAuthFlow: AuthorizationCodeOAuthFlow;
  ClientCredentialsOAuthFlow: ClientCredentialsOAuthFlow;
  ImplicitOAuthFlow: ImplicitOAuthFlow;
  PasswordOAuthFlow: PasswordOAuthFlow;
  DeviceCodeOAuthFlow: DeviceCodeOAuthFlow;
  SendMessageRequest: SendMessageRequest;
  GetTaskRequest: GetTaskRequest;
  ListTasksRequest: ListTasksRequest;
  ListTasksResponse: ListTasksResponse;
  CancelTaskRequest: CancelTaskRequest;
  GetTaskPushNotificationConfigRequest: GetTaskPushNotificationConfigRequest;
  DeleteTaskPushNotificationConfigRequest: DeleteTaskPushNotificationConfigRequest;
  SubscribeToTaskRequest: SubscribeToTaskRequest;
  ListTaskPushNotificationConfigsRequest: ListTaskPushNotificationConfigsRequest;
  GetExtendedAgentCardRequest: GetExtendedAgentCardRequest;
  SendMessageResponse: SendMessageResponse;
  StreamResponse: StreamResponse;
  ListTaskPushNotificationConfigsResponse: ListTaskPushNotificationConfigsResponse;
}

/** Names of every enum, at the index of their number. */
export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  TaskState: ['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED', 'TASK_STATE_AUTH_REQUIRED'],
  Role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
};

/** Fields of every message, in the order of the proto file. */
export const FIELDS: Readonly<Record<keyof A2AModel, readonly Field[]>> = {
  SendMessageConfiguration: [
    { name: 'acceptedOutputModes', proto: 'accepted_output_modes', kind: 'string', label: 'list' },
    { name: 'taskPushNotificationConfig', proto: 'task_push_notification_config', kind: 'message', type: 'TaskPushNotificationConfig', presence: true },
    { name: 'historyLength', proto: 'history_length', kind: 'int32', presence: true },
    { name: 'returnImmediately', proto: 'return_immediately', kind: 'bool' },
  ],
  Task: [
    { name: 'id', proto: 'id', kind: 'string', required: true },
    { name: 'contextId', proto: 'context_id', kind: 'string' },
    { name: 'status', proto: 'status', kind: 'message', type: 'TaskStatus', required: true, presence: true },
    { name: 'artifacts', proto: 'artifacts', kind: 'message', type: 'Artifact', label: 'list' },
    { name: 'history', proto: 'history', kind: 'message', type: 'Message', label: 'list' },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
  ],
  TaskStatus: [
    { name: 'state', proto: 'state', kind: 'enum', type: 'TaskState', required: true },
    { name: 'message', proto: 'message', kind: 'message', type: 'Message', presence: true },
    { name: 'timestamp', proto: 'timestamp', kind: 'timestamp', presence: true },
  ],
  Part: [
    { name: 'text', proto: 'text', kind: 'string', presence: true, oneof: 'content' },
    { name: 'raw', proto: 'raw', kind: 'bytes', presence: true, oneof: 'content' },
    { name: 'url', proto: 'url', kind: 'string', presence: true, oneof: 'content' },
    { name: 'data', proto: 'data', kind: 'value', presence: true, oneof: 'content' },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
    { name: 'filename', proto: 'filename', kind: 'string' },
    { name: 'mediaType', proto: 'media_type', kind: 'string' },
  ],
  Message: [
    { name: 'messageId', proto: 'message_id', kind: 'string', required: true },
    { name: 'contextId', proto: 'context_id', kind: 'string' },
    { name: 'taskId', proto: 'task_id', kind: 'string' },
    { name: 'role', proto: 'role', kind: 'enum', type: 'Role', required: true },
    { name: 'parts', proto: 'parts', kind: 'message', type: 'Part', label: 'list', required: true },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
    { name: 'extensions', proto: 'extensions', kind: 'string', label: 'list' },
    { name: 'referenceTaskIds', proto: 'reference_task_ids', kind: 'string', label: 'list' },
  ],
  Artifact: [
    { name: 'artifactId', proto: 'artifact_id', kind: 'string', required: true },
    { name: 'name', proto: 'name', kind: 'string' },
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'parts', proto: 'parts', kind: 'message', type: 'Part', label: 'list', required: true },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
    { name: 'extensions', proto: 'extensions', kind: 'string', label: 'list' },
  ],
  TaskStatusUpdateEvent: [
    { name: 'taskId', proto: 'task_id', kind: 'string', required: true },
    { name: 'contextId', proto: 'context_id', kind: 'string', required: true },
    { name: 'status', proto: 'status', kind: 'message', type: 'TaskStatus', required: true, presence: true },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
  ],
  TaskArtifactUpdateEvent: [
    { name: 'taskId', proto: 'task_id', kind: 'string', required: true },
    { name: 'contextId', proto: 'context_id', kind: 'string', required: true },
    { name: 'artifact', proto: 'artifact', kind: 'message', type: 'Artifact', required: true, presence: true },
    { name: 'append', proto: 'append', kind: 'bool' },
    { name: 'lastChunk', proto: 'last_chunk', kind: 'bool' },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
  ],
  AuthenticationInfo: [
    { name: 'scheme', proto: 'scheme', kind: 'string', required: true },
    { name: 'credentials', proto: 'credentials', kind: 'string' },
  ],
  AgentInterface: [
    { name: 'url', proto: 'url', kind: 'string', required: true },
    { name: 'protocolBinding', proto: 'protocol_binding', kind: 'string', required: true },
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'protocolVersion', proto: 'protocol_version', kind: 'string', required: true },
  ],
  AgentCard: [
    { name: 'name', proto: 'name', kind: 'string', required: true },
    { name: 'description', proto: 'description', kind: 'string', required: true },
    { name: 'supportedInterfaces', proto: 'supported_interfaces', kind: 'message', type: 'AgentInterface', label: 'list', required: true },
    { name: 'provider', proto: 'provider', kind: 'message', type: 'AgentProvider', presence: true },
    { name: 'version', proto: 'version', kind: 'string', required: true },
    { name: 'documentationUrl', proto: 'documentation_url', kind: 'string', presence: true },
    { name: 'capabilities', proto: 'capabilities', kind: 'message', type: 'AgentCapabilities', required: true, presence: true },
    { name: 'securitySchemes', proto: 'security_schemes', kind: 'message', type: 'SecurityScheme', label: 'map' },
    { name: 'securityRequirements', proto: 'security_requirements', kind: 'message', type: 'SecurityRequirement', label: 'list' },
    { name: 'defaultInputModes', proto: 'default_input_modes', kind: 'string', label: 'list', required: true },
    { name: 'defaultOutputModes', proto: 'default_output_modes', kind: 'string', label: 'list', required: true },
    { name: 'skills', proto: 'skills', kind: 'message', type: 'AgentSkill', label: 'list', required: true },
    { name: 'signatures', proto: 'signatures', kind: 'message', type: 'AgentCardSignature', label: 'list' },
    { name: 'iconUrl', proto: 'icon_url', kind: 'string', presence: true },
  ],
  AgentProvider: [
    { name: 'url', proto: 'url', kind: 'string', required: true },
    { name: 'organization', proto: 'organization', kind: 'string', required: true },
  ],
  AgentCapabilities: [
    { name: 'streaming', proto: 'streaming', kind: 'bool', presence: true },
    { name: 'pushNotifications', proto: 'push_notifications', kind: 'bool', presence: true },
    { name: 'extensions', proto: 'extensions', kind: 'message', type: 'AgentExtension', label: 'list' },
    { name: 'extendedAgentCard', proto: 'extended_agent_card', kind: 'bool', presence: true },
  ],
  AgentExtension: [
    { name: 'uri', proto: 'uri', kind: 'string' },
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'required', proto: 'required', kind: 'bool' },
    { name: 'params', proto: 'params', kind: 'struct', presence: true },
  ],
  AgentSkill: [
    { name: 'id', proto: 'id', kind: 'string', required: true },
    { name: 'name', proto: 'name', kind: 'string', required: true },
    { name: 'description', proto: 'description', kind: 'string', required: true },
    { name: 'tags', proto: 'tags', kind: 'string', label: 'list', required: true },
    { name: 'examples', proto: 'examples', kind: 'string', label: 'list' },
    { name: 'inputModes', proto: 'input_modes', kind: 'string', label: 'list' },
    { name: 'outputModes', proto: 'output_modes', kind: 'string', label: 'list' },
    { name: 'securityRequirements', proto: 'security_requirements', kind: 'message', type: 'SecurityRequirement', label: 'list' },
  ],
  AgentCardSignature: [
    { name: 'protected', proto: 'protected', kind: 'string', required: true },
    { name: 'signature', proto: 'signature', kind: 'string', required: true },
    { name: 'header', proto: 'header', kind: 'struct', presence: true },
  ],
  TaskPushNotificationConfig: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'id', proto: 'id', kind: 'string' },
    { name: 'taskId', proto: 'task_id', kind: 'string' },
    { name: 'url', proto: 'url', kind: 'string', required: true },
    { name: 'token', proto: 'token', kind: 'string' },
    { name: 'authentication', proto: 'authentication', kind: 'message', type: 'AuthenticationInfo', presence: true },
  ],
  StringList: [
    { name: 'list', proto: 'list', kind: 'string', label: 'list' },
  ],
  SecurityRequirement: [
    { name: 'schemes', proto: 'schemes', kind: 'message', type: 'StringList', label: 'map' },
  ],
  SecurityScheme: [
    { name: 'apiKeySecurityScheme', proto: 'api_key_security_scheme', kind: 'message', type: 'APIKeySecurityScheme', presence: true, oneof: 'scheme' },
    { name: 'httpAuthSecurityScheme', proto: 'http_auth_security_scheme', kind: 'message', type: 'HTTPAuthSecurityScheme', presence: true, oneof: 'scheme' },
    { name: 'oauth2SecurityScheme', proto: 'oauth2_security_scheme', kind: 'message', type: 'OAuth2SecurityScheme', presence: true, oneof: 'scheme' },
    { name: 'openIdConnectSecurityScheme', proto: 'open_id_connect_security_scheme', kind: 'message', type: 'OpenIdConnectSecurityScheme', presence: true, oneof: 'scheme' },
    { name: 'mtlsSecurityScheme', proto: 'mtls_security_scheme', kind: 'message', type: 'MutualTlsSecurityScheme', presence: true, oneof: 'scheme' },
  ],
  APIKeySecurityScheme: [
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'location', proto: 'location', kind: 'string', required: true },
    { name: 'name', proto: 'name', kind: 'string', required: true },
  ],
  HTTPAuthSecurityScheme: [
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'scheme', proto: 'scheme', kind: 'string', required: true },
    { name: 'bearerFormat', proto: 'bearer_format', kind: 'string' },
  ],
  OAuth2SecurityScheme: [
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'flows', proto: 'flows', kind: 'message', type: 'OAuthFlows', required: true, presence: true },
    { name: 'oauth2MetadataUrl', proto: 'oauth2_metadata_url', kind: 'string' },
  ],
  OpenIdConnectSecurityScheme: [
    { name: 'description', proto: 'description', kind: 'string' },
    { name: 'openIdConnectUrl', proto: 'open_id_connect_url', kind: 'string', required: true },
  ],
  MutualTlsSecurityScheme: [
    { name: 'description', proto: 'description', kind: 'string' },
  ],
  OAuthFlows: [
    { name: 'authorizationCode', proto: 'authorization_code', kind: 'message', type: 'AuthorizationCodeOAuthFlow', presence: true, oneof: 'flow' },
    { name: 'clientCredentials', proto: 'client_credentials', kind: 'message', type: 'ClientCredentialsOAuthFlow', presence: true, oneof: 'flow' },
    { name: 'implicit', proto: 'implicit', kind: 'message', type: 'ImplicitOAuthFlow', presence: true, oneof: 'flow' },
    { name: 'password', proto: 'password', kind: 'message', type: 'PasswordOAuthFlow', presence: true, oneof: 'flow' },
    { name: 'deviceCode', proto: 'device_code', kind: 'message', type: 'DeviceCodeOAuthFlow', presence: true, oneof: 'flow' },
  ],
  AuthorizationCodeOAuthFlow: [
    { name: 'authorizationUrl', proto: 'authorization_url', kind: 'string', required: true },
    { name: 'tokenUrl', proto: 'token_url', kind: 'string', required: true },
    { name: 'refreshUrl', proto: 'refresh_url', kind: 'string' },
    { name: 'scopes', proto: 'scopes', kind: 'string', label: 'map', required: true },
    { name: 'pkceRequired', proto: 'pkce_required', kind: 'bool' },
  ],
  ClientCredentialsOAuthFlow: [
    { name: 'tokenUrl', proto: 'token_url', kind: 'string', required: true },
    { name: 'refreshUrl', proto: 'refresh_url', kind: 'string' },
    { name: 'scopes', proto: 'scopes', kind: 'string', label: 'map', required: true },
  ],
  ImplicitOAuthFlow: [
    { name: 'authorizationUrl', proto: 'authorization_url', kind: 'string' },
    { name: 'refreshUrl', proto: 'refresh_url', kind: 'string' },
    { name: 'scopes', proto: 'scopes', kind: 'string', label: 'map' },
  ],
  PasswordOAuthFlow: [
    { name: 'tokenUrl', proto: 'token_url', kind: 'string' },
    { name: 'refreshUrl', proto: 'refresh_url', kind: 'string' },
    { name: 'scopes', proto: 'scopes', kind: 'string', label: 'map' },
  ],
  DeviceCodeOAuthFlow: [
    { name: 'deviceAuthorizationUrl', proto: 'device_authorization_url', kind: 'string', required: true },
    { name: 'tokenUrl', proto: 'token_url', kind: 'string', required: true },
    { name: 'refreshUrl', proto: 'refresh_url', kind: 'string' },
    { name: 'scopes', proto: 'scopes', kind: 'string', label: 'map', required: true },
  ],
  SendMessageRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'message', proto: 'message', kind: 'message', type: 'Message', required: true, presence: true },
    { name: 'configuration', proto: 'configuration', kind: 'message', type: 'SendMessageConfiguration', presence: true },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
  ],
  GetTaskRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'id', proto: 'id', kind: 'string', required: true },
    { name: 'historyLength', proto: 'history_length', kind: 'int32', presence: true },
  ],
  ListTasksRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'contextId', proto: 'context_id', kind: 'string' },
    { name: 'status', proto: 'status', kind: 'enum', type: 'TaskState' },
    { name: 'pageSize', proto: 'page_size', kind: 'int32', presence: true },
    { name: 'pageToken', proto: 'page_token', kind: 'string' },
    { name: 'historyLength', proto: 'history_length', kind: 'int32', presence: true },
    { name: 'statusTimestampAfter', proto: 'status_timestamp_after', kind: 'timestamp', presence: true },
    { name: 'includeArtifacts', proto: 'include_artifacts', kind: 'bool', presence: true },
  ],
  ListTasksResponse: [
    { name: 'tasks', proto: 'tasks', kind: 'message', type: 'Task', label: 'list', required: true },
    { name: 'nextPageToken', proto: 'next_page_token', kind: 'string', required: true },
    { name: 'pageSize', proto: 'page_size', kind: 'int32', required: true },
    { name: 'totalSize', proto: 'total_size', kind: 'int32', required: true },
  ],
  CancelTaskRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'id', proto: 'id', kind: 'string', required: true },
    { name: 'metadata', proto: 'metadata', kind: 'struct', presence: true },
  ],
  GetTaskPushNotificationConfigRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'taskId', proto: 'task_id', kind: 'string', required: true },
    { name: 'id', proto: 'id', kind: 'string', required: true },
  ],
  DeleteTaskPushNotificationConfigRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'taskId', proto: 'task_id', kind: 'string', required: true },
    { name: 'id', proto: 'id', kind: 'string', required: true },
  ],
  SubscribeToTaskRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'id', proto: 'id', kind: 'string', required: true },
  ],
  ListTaskPushNotificationConfigsRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
    { name: 'taskId', proto: 'task_id', kind: 'string', required: true },
    { name: 'pageSize', proto: 'page_size', kind: 'int32' },
    { name: 'pageToken', proto: 'page_token', kind: 'string' },
  ],
  GetExtendedAgentCardRequest: [
    { name: 'tenant', proto: 'tenant', kind: 'string' },
  ],
  SendMessageResponse: [
    { name: 'task', proto: 'task', kind: 'message', type: 'Task', presence: true, oneof: 'payload' },
    { name: 'message', proto: 'message', kind: 'message', type: 'Message', presence: true, oneof: 'payload' },
  ],
  StreamResponse: [
    { name: 'task', proto: 'task', kind: 'message', type: 'Task', presence: true, oneof: 'payload' },
    { name: 'message', proto: 'message', kind: 'message', type: 'Message', presence: true, oneof: 'payload' },
    { name: 'statusUpdate', proto: 'status_update', kind: 'message', type: 'TaskStatusUpdateEvent', presence: true, oneof: 'payload' },
    { name: 'artifactUpdate', proto: 'artifact_update', kind: 'message', type: 'TaskArtifactUpdateEvent', presence: true, oneof: 'payload' },
  ],
  ListTaskPushNotificationConfigsResponse: [
    { name: 'configs', proto: 'configs', kind: 'message', type: 'TaskPushNotificationConfig', label: 'list' },
    { name: 'nextPageToken', proto: 'next_page_token', kind: 'string' },
  ],
};
