/** A key that seals secrets at rest. */
export interface SecretKey {
  /** Written beside what it seals, so that it is found again: up to 64 letters, digits, "-" and "_". */
  readonly id: string;
  /** 32 bytes, or their base64, as `openssl rand -base64 32` prints them. */
  readonly key: string | Uint8Array;
}

/** How the credentials and tokens of webhooks are kept. */
export interface SecretsOptions {
  /** The first seals, all of them open: a key is changed by putting a new one before it. */
  readonly keys: readonly SecretKey[];
  /** What was stored before there were keys is read as it is (default), or refused. */
  readonly plain?: 'read' | 'refuse';
}
