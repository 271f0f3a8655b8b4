import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The open responses of each connection in the order of their requests: several if a client pipelines. */
export class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, Set<ServerResponse>>();

  /** Tracks a response until it is closed. */
  opened(socket: Duplex, res: ServerResponse): void {
    const open = this.#ofSocket.get(socket) ?? new Set();
    open.add(res);
    this.#ofSocket.set(socket, open);
    res.once('close', () => open.delete(res));
  }

  of(socket: Duplex): ServerResponse[] {
    return [...(this.#ofSocket.get(socket) ?? [])];
  }
}
