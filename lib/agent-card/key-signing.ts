import { Injectable } from '@nestjs/common';
import { FlattenedSign } from 'jose';
import { DetachedSigner } from '../interfaces/card-signing.js';
import { CardSigning } from './card-signing.js';

/** Signs other things than cards with the keys of the cards. */
@Injectable()
export class KeySigning extends DetachedSigner {
  constructor(private readonly cards: CardSigning) {
    super();
  }

  override sign(payload: Uint8Array, typ: string): Promise<readonly string[]> {
    return Promise.all(
      this.cards.keys.map(async ({ kid, alg, privateKey }) => {
        const signing = new FlattenedSign(payload).setProtectedHeader({ alg, typ, kid });
        const { protected: header, signature } = await signing.sign(privateKey);
        return `${header}..${signature}`;
      }),
    );
  }
}
