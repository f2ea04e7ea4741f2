import { Inject, Injectable } from '@nestjs/common';
import { FlattenedSign } from 'jose';
import { AgentCardSigner, type JsonWebKey } from '../interfaces/card-signing.js';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { AgentCard, AgentCardSignature } from '../protocol/model.js';
import { cardPayload, sdkCardPayload } from './card-payload.js';
import { joinUrl } from '../protocol/join-url.js';
import { publicJwks, readSigningKeys, type ReadySigningKey } from './signing-keys.js';

/** Extended cards may differ per caller, so what is remembered is bounded. */
const MAX_CARDS = 256;

/** Signs cards with every key of the options (§8.4.2), each distinct card once. */
@Injectable()
export class CardSigning extends AgentCardSigner {
  /** What is wrong with the options, for the report at boot. */
  readonly problem: string | undefined;
  readonly #keys: readonly ReadySigningKey[] = [];
  readonly #signed = new Map<string, Promise<AgentCardSignature[]>>();

  constructor(@Inject(A2A_OPTIONS) private readonly options: ResolvedOptions) {
    super();
    try {
      if (options.signing) this.#keys = readSigningKeys(options.signing);
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Those that sign; none without `signing`. */
  get keys(): readonly ReadySigningKey[] {
    return this.#keys;
  }

  /** The keys that verify what is signed here. */
  get jwks(): { readonly keys: readonly JsonWebKey[] } {
    return publicJwks(this.#keys);
  }

  /** Signatures that a card had are replaced: they were made over another one. */
  override async sign(card: AgentCard): Promise<AgentCard> {
    if (this.#keys.length === 0) return card;
    const payload = cardPayload(card);
    const signed = this.#signed.get(payload) ?? this.#remember(payload, this.#signaturesOf(card, payload));
    return { ...card, signatures: await signed };
  }

  /** Whether the official SDKs would refuse the signatures of this card. */
  puzzlesSdks(card: AgentCard): boolean {
    return (
      this.#keys.length > 0 && !this.options.signing?.forSdks && cardPayload(card) !== sdkCardPayload(card)
    );
  }

  #remember(payload: string, signed: Promise<AgentCardSignature[]>): Promise<AgentCardSignature[]> {
    const [oldest] = this.#signed.keys();
    if (oldest !== undefined && this.#signed.size >= MAX_CARDS) this.#signed.delete(oldest);
    this.#signed.set(payload, signed);
    return signed;
  }

  #signaturesOf(card: AgentCard, payload: string): Promise<AgentCardSignature[]> {
    const payloads = this.options.signing?.forSdks ? new Set([payload, sdkCardPayload(card)]) : [payload];
    return Promise.all([...payloads].flatMap((text) => this.#keys.map((key) => this.#signature(key, text))));
  }

  async #signature({ kid, alg, privateKey }: ReadySigningKey, payload: string): Promise<AgentCardSignature> {
    const jku = this.#jku();
    const { protected: header, signature } = await new FlattenedSign(Buffer.from(payload))
      .setProtectedHeader({ alg, typ: 'JOSE', kid, ...(jku && { jku }) })
      .sign(privateKey);
    return { protected: header!, signature };
  }

  /** Nobody should fetch keys over http, so it is not named there. */
  #jku(): string | undefined {
    const { signing, publicUrl = '' } = this.options;
    if (signing?.jku !== undefined) return signing.jku || undefined;
    return /^https:/i.test(publicUrl) ? joinUrl(publicUrl, signing!.jwksPath) : undefined;
  }
}
