/** An agent on somebody else's server. */
export interface Peer {
  /** Origin of its card. */
  readonly base: string;
  close(): Promise<void>;
}
