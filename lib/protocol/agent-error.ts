/**
 * What an executor throws to tell the caller something: the task fails with exactly this text as its status message.
 * The text of any other error stays in the log.
 *
 * @example throw new AgentError('The order number is missing');
 */
export class AgentError extends Error {
  /** @param publicMessage shown to the caller. @param options `cause` goes to the log only. */
  constructor(
    readonly publicMessage: string,
    options?: ErrorOptions,
  ) {
    super(publicMessage, options);
    this.name = 'AgentError';
  }
}
