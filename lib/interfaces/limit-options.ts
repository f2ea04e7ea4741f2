/** What callers may ask for at most; 0 is no limit. Sizes of bodies are limits of the transport, messages that wait for a task are one of the execution. */
export interface LimitOptions {
  /** Parts of a message. Default 100. */
  readonly parts?: number;
  /** Bytes of each `metadata` of a request, as JSON. Default 65 536. */
  readonly metadataBytes?: number;
  /** Members of each `metadata` of a request. Default 100. */
  readonly metadataMembers?: number;
  /** `referenceTaskIds` of a message. Default 32. */
  readonly referenceTasks?: number;
  /** Messages in the history of a task that still takes another. Default 1 000. */
  readonly history?: number;
  /** Messages of a task's history that an answer shows: the newest. Default 1 000. */
  readonly shownHistory?: number;
  /** Webhooks of a task. Default 20. */
  readonly pushConfigs?: number;
  /** Streams that are open at one time for one owner. Default 2 500. */
  readonly streamsPerOwner?: number;
  /** Streams that are open at one time in this process. Default 10 000. */
  readonly streams?: number;
  /** Tasks that run at one time for one owner. Default 1 000. */
  readonly runsPerOwner?: number;
  /** Tasks that run at one time in this process. Default 5 000. */
  readonly runs?: number;
}
