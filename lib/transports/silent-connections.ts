import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/**
 * Connections that have not asked for anything yet. Clients open some in advance, and Node does not count them as idle, so a server that
 * closes would wait a minute for each.
 */
@Injectable()
export class SilentConnections implements OnApplicationBootstrap {
  readonly #sockets = new Set<Socket>();

  constructor(private readonly host: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    // Of HTTP/2 servers, which share a connection between requests, nothing is known here.
    if (!server || !('closeIdleConnections' in server)) return;
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', ({ socket }) => this.#sockets.delete(socket));
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
