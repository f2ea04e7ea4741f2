import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** What the application knows of its parcels. */
@Injectable()
export class Parcels {
  readonly #news = new Map<string, string[]>();
  /** Which parcel a webhook's token was made for. */
  readonly #tokens = new Map<string, string>();

  /** A token for one webhook: nobody else has it, and it tells what a notification is about. */
  begin(parcel: string): string {
    const token = randomUUID();
    this.#tokens.set(token, parcel);
    this.#news.set(parcel, []);
    return token;
  }

  knows(token: string): boolean {
    return this.#tokens.has(token);
  }

  add(token: string, news: string): void {
    const parcel = this.#tokens.get(token)!;
    this.#news.get(parcel)!.push(news);
  }

  newsOf(parcel: string): readonly string[] | undefined {
    return this.#news.get(parcel);
  }
}
