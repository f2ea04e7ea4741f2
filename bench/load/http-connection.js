// @ts-check
// A keep-alive HTTP/1.1 connection on a bare socket: cheaper than node:http's client, so that on a small machine
// the server is what is measured. One request at a time; ASCII bodies only.
import { connect } from 'node:net';

/** @typedef {{ status: number, body: string }} Answer */

export class HttpConnection {
  /** @type {import('node:net').Socket | undefined} */
  #socket;
  #parser = new AnswerParser();
  /** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void } | undefined} */
  #pending;

  /** @param {number} port */
  constructor(port) {
    this.port = port;
  }

  /** @param {string} bytes the whole request @returns {Promise<Answer>} */
  request(bytes) {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#open().write(bytes, 'latin1');
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #open() {
    if (this.#socket && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (data) => this.#take(String(data)));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection before its answer')));
    this.#socket = socket;
    return socket;
  }

  /** @param {string} data */
  #take(data) {
    const answer = this.#parser.take(data);
    if (!answer) return;
    if (answer.closes) {
      // The next request opens a new one.
      this.#socket?.removeAllListeners('close');
      this.#socket?.destroy();
    }
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(answer);
  }

  /** @param {Error} error */
  #fail(error) {
    this.#pending?.reject(error);
    this.#pending = undefined;
  }
}

/** Puts answers together from what the socket delivers. */
class AnswerParser {
  #input = '';
  /** @type {{ status: number, closes: boolean, length: number | undefined } | undefined} */
  #head;
  /** @type {string[]} */
  #body = [];

  /** @param {string} data @returns {(Answer & { closes: boolean }) | undefined} */
  take(data) {
    this.#input += data;
    this.#head ??= this.#readHead();
    if (!this.#head) return undefined;
    const complete =
      this.#head.length === undefined ? this.#readChunks() : this.#readLength(this.#head.length);
    if (!complete) return undefined;
    const { status, closes } = this.#head;
    const answer = { status, closes, body: this.#body.join('') };
    this.#head = undefined;
    this.#body = [];
    return answer;
  }

  #readHead() {
    const end = this.#input.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.#input.slice(0, end).toLowerCase();
    this.#input = this.#input.slice(end + 4);
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    return {
      status: Number(head.slice(9, 12)),
      closes: /\r\nconnection: *close/.test(head),
      length: length === undefined ? undefined : Number(length),
    };
  }

  /** @param {number} length */
  #readLength(length) {
    if (this.#input.length < length) return false;
    this.#body.push(this.#input.slice(0, length));
    this.#input = this.#input.slice(length);
    return true;
  }

  /** Takes the whole chunks that are there; true after the last one. */
  #readChunks() {
    let at = 0;
    let last = false;
    while (!last) {
      const lineEnd = this.#input.indexOf('\r\n', at);
      if (lineEnd < 0) break;
      const size = parseInt(this.#input.slice(at, lineEnd), 16);
      const start = lineEnd + 2;
      if (this.#input.length < start + size + 2) break;
      last = size === 0;
      if (!last) this.#body.push(this.#input.slice(start, start + size));
      at = start + size + 2;
    }
    this.#input = this.#input.slice(at);
    return last;
  }
}
