/**
 * Makes the ids that the server assigns.
 *
 * @publicApi
 */
export abstract class IdGenerator {
  abstract taskId(): string;
  abstract contextId(): string;
  abstract artifactId(): string;
  abstract messageId(): string;
  abstract pushNotificationConfigId(): string;
}
