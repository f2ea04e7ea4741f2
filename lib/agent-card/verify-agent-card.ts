import {
  base64url,
  decodeProtectedHeader,
  flattenedVerify,
  importJWK,
  type JWK,
  type ProtectedHeaderParameters,
} from 'jose';
import type { AgentCard, AgentCardSignature } from '../protocol/model.js';
import { cardPayload, sdkCardPayload, signedPart } from './card-payload.js';
import { AgentCardVerificationError, type CardVerificationReason } from './card-verification-error.js';
import { isSigningAlgorithm, SIGNING_ALGORITHMS } from '../protocol/signing-algorithms.js';
import { TrustedKeySet, type TrustedKeysOptions } from './trusted-keys.js';

/** How a card's signatures are judged. */
export interface CardVerificationOptions extends TrustedKeysOptions {
  /**
   * `required` (default) takes only cards with a valid signature of a trusted key; `if-present` takes unsigned ones too; `off` takes all.
   */
  readonly policy?: 'off' | 'if-present' | 'required';
  /** Default: every algorithm with a private key, such as ES256. Shared secrets and `none` cannot be allowed. */
  readonly algorithms?: readonly string[];
  /** Also takes the signatures that the official SDKs make of cards with empty members, which say less. Default false. */
  readonly acceptSdkForm?: boolean;
}

/** A card that the policy lets pass. */
export interface VerifiedAgentCard {
  /** Members of the data model only, without signatures: what a valid signature covers. It has not passed the validating door. */
  readonly card: AgentCard;
  /** False for a card without a signature, and where the policy is `off`. */
  readonly verified: boolean;
  /** Of the key whose signature was valid. */
  readonly kid?: string;
}

/** Nobody signs with more; a stranger's card must not make work. */
const MAX_SIGNATURES = 16;

/**
 * Judges cards, and remembers the keys it fetched.
 *
 * @publicApi
 */
export class AgentCardVerifier {
  readonly #keys: TrustedKeySet;
  readonly #algorithms: readonly string[];

  /** Throws TypeError for an algorithm that is not safe here, for a `jku` that is not https, and for a number that is none. */
  constructor(private readonly options: CardVerificationOptions) {
    this.#algorithms = options.algorithms ?? SIGNING_ALGORITHMS;
    const weak = this.#algorithms.find((name) => !isSigningAlgorithm(name));
    if (weak !== undefined) throw new TypeError(`Cards are not verified with ${weak}`);
    this.#keys = new TrustedKeySet(options);
  }

  /**
   * One valid signature of a trusted key suffices.
   * @param json the card as it was received, parsed and otherwise untouched.
   * @throws AgentCardVerificationError
   */
  async verify(json: unknown): Promise<VerifiedAgentCard> {
    const { policy = 'required' } = this.options;
    const card = signedPart(json, { unknown: false }) as AgentCard;
    if (policy === 'off') return { card, verified: false };
    const signatures = signaturesOf(json);
    if (signatures.length === 0) {
      if (policy === 'if-present') return { card, verified: false };
      throw new AgentCardVerificationError(
        'unsigned',
        'The agent card has no signature, but one is required',
      );
    }
    const failures: AgentCardVerificationError[] = [];
    const payloads = this.#payloadsOf(json, card);
    for (const signature of signatures.slice(0, MAX_SIGNATURES)) {
      const outcome = await this.#check(signature, payloads);
      if (typeof outcome === 'string') return { card, verified: true, kid: outcome };
      failures.push(outcome);
    }
    throw worstOf(failures);
  }

  /** With members that only a later version knows, and without: a signer may have signed either, and both cover the card that is answered. */
  #payloadsOf(json: unknown, card: AgentCard): string[] {
    try {
      const texts = [cardPayload(json), cardPayload(card)];
      if (this.options.acceptSdkForm) texts.push(sdkCardPayload(json));
      return [...new Set(texts)].map((text) => base64url.encode(text));
    } catch (cause) {
      throw failure('invalid-signature', 'has members that cannot be signed', cause);
    }
  }

  /** The kid, or why not. */
  async #check(
    signature: AgentCardSignature,
    payloads: readonly string[],
  ): Promise<string | AgentCardVerificationError> {
    const header = readHeader(signature);
    const flaw = this.#flawOf(header);
    if (flaw !== undefined) return failure('invalid-signature', flaw);
    const { kid, alg, jku } = header as { kid: string; alg: string; jku?: unknown };
    let keys: readonly JWK[];
    try {
      keys = await this.#keys.find(kid, alg, jku);
    } catch (cause) {
      return failure('keys-unavailable', 'names keys that could not be fetched', cause);
    }
    if (keys.length === 0)
      return failure('unknown-key', `names a key that is not trusted, ${JSON.stringify(kid)}`);
    for (const key of keys) {
      for (const payload of payloads) if (await isSignedBy(signature, payload, key, alg)) return kid;
    }
    return failure('invalid-signature', `is not one of this card by the key ${JSON.stringify(kid)}`);
  }

  /** Only what is protected counts; what a `crit` names would have to be understood, and nothing is. */
  #flawOf(header: ProtectedHeaderParameters | undefined): string | undefined {
    if (!header) return 'has no readable header';
    if (header.crit !== undefined || 'b64' in header)
      return 'asks for extensions of JWS that are not known here';
    if (!header.alg || !this.#algorithms.includes(header.alg))
      return 'is made with an algorithm that is not allowed';
    return typeof header.kid === 'string' && header.kid !== '' ? undefined : 'names no key';
  }
}

/**
 * Judges one card; see {@link AgentCardVerifier}, which remembers the keys it fetched.
 *
 * @publicApi
 * @example const { card } = await verifyAgentCard(json, { keys: jwks });
 * @throws AgentCardVerificationError
 */
export async function verifyAgentCard(
  json: unknown,
  options: CardVerificationOptions,
): Promise<VerifiedAgentCard> {
  return new AgentCardVerifier(options).verify(json);
}

function signaturesOf(json: unknown): readonly AgentCardSignature[] {
  const { signatures } = (json ?? {}) as { signatures?: unknown };
  return Array.isArray(signatures) ? (signatures as AgentCardSignature[]) : [];
}

function readHeader(signature: AgentCardSignature): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader({ protected: signature.protected });
  } catch {
    return undefined;
  }
}

/** Without the header that is not protected: nothing in it may count. */
async function isSignedBy(
  { protected: header, signature }: AgentCardSignature,
  payload: string,
  key: JWK,
  alg: string,
): Promise<boolean> {
  try {
    const publicKey = await importJWK(key, alg);
    await flattenedVerify({ protected: header, signature, payload }, publicKey, { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

const SEVERITY: readonly CardVerificationReason[] = ['invalid-signature', 'keys-unavailable', 'unknown-key'];

/** What says most: a signature that is wrong before keys that are missing. */
function worstOf(failures: readonly AgentCardVerificationError[]): AgentCardVerificationError {
  return failures.toSorted((a, b) => SEVERITY.indexOf(a.reason) - SEVERITY.indexOf(b.reason))[0]!;
}

function failure(reason: CardVerificationReason, text: string, cause?: unknown): AgentCardVerificationError {
  const options = cause === undefined ? undefined : { cause };
  return new AgentCardVerificationError(reason, `The signature of the agent card ${text}`, options);
}
