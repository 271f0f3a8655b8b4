import { LRUCache } from 'lru-cache';

/** The last response of a WebSocket, which its next message may continue. */
export interface KeptResponse {
  readonly id: string;
  /** Its input and output items as JSON texts, separated by commas. */
  readonly items: Buffer;
}

/**
 * The last response of each WebSocket, in bounded memory. If they are too large together, those that have not been used for
 * the longest time are dropped: their clients get `previous_response_not_found`, and send the conversation in full.
 */
export class KeptResponses {
  readonly #responses: LRUCache<object, KeptResponse>;

  /** @param maxBytes of all responses together, and of one */
  constructor({ totalBytes, responseBytes }: { totalBytes: number; responseBytes: number }) {
    this.#responses = new LRUCache({
      maxSize: totalBytes,
      maxEntrySize: Math.min(totalBytes, responseBytes),
      sizeCalculation: ({ id, items }) => id.length + items.length + 1,
    });
  }

  get bytes(): number {
    return this.#responses.calculatedSize;
  }

  /** Keeps the last response of a socket in place of the one before. */
  keep(socket: object, response: KeptResponse): void {
    this.#responses.set(socket, response);
  }

  /** The items of a socket's last response if it has this id. */
  itemsOf(socket: object, id: string): Buffer | undefined {
    const kept = this.#responses.get(socket);
    return kept?.id === id ? kept.items : undefined;
  }

  drop(socket: object): void {
    this.#responses.delete(socket);
  }
}
