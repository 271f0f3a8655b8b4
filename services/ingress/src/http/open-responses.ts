import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The answers that each connection still owes, in the order of their requests: several where a client pipelines. */
export class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, Set<ServerResponse>>();

  /** Notes an answer until it is closed. */
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
