import type { LoggerService } from '@nestjs/common';

/** Keeps every line of every level. */
export class FullLog implements LoggerService {
  readonly lines: string[] = [];
  readonly #add = (...message: unknown[]) => void this.lines.push(message.map(String).join(' '));

  log = this.#add;
  warn = this.#add;
  error = this.#add;
  debug = this.#add;
  verbose = this.#add;
  fatal = this.#add;

  get text(): string {
    return this.lines.join('\n');
  }
}
