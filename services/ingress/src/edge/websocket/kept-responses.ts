import type { AccountShares } from './account-shares.ts';

/** The last response of a WebSocket, which its next message may continue. */
export interface KeptResponse {
  readonly id: string;
  /** Its input and output items as JSON texts, separated by commas. */
  readonly items: Buffer;
}

/** The responses of one account, by socket, that used longest ago first. */
interface AccountResponses {
  bytes: number;
  readonly responses: Map<object, KeptResponse>;
}

export interface KeptResponsesOptions {
  /** Of all responses together. */
  totalBytes: number;
  /** Of one response. */
  responseBytes: number;
  shares: AccountShares;
}

/**
 * The last response of each WebSocket, in bounded memory. An account beyond its share loses its own responses, those not
 * used for the longest time first. If all are too large together, the account that keeps most does: none loses a response
 * to one that keeps more. Clients of a lost one get `previous_response_not_found`, and send the conversation in full.
 */
export class KeptResponses {
  readonly #options: KeptResponsesOptions;
  readonly #accounts = new Map<string, AccountResponses>();
  #bytes = 0;

  constructor(options: KeptResponsesOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Keeps the last response of a socket in place of the one before.
   *
   * @param isOpen whether the socket still is: that may change while the account's credit is looked up
   */
  async keep(socket: object, accountId: string, response: KeptResponse, isOpen: () => boolean): Promise<void> {
    this.drop(socket, accountId);
    const size = sizeOf(response);
    const { max } = await this.#options.shares.of(accountId, this.#bytesOf(accountId) + size);
    if (!isOpen() || !this.#makeRoom(accountId, size, max)) return;
    const account = this.#accounts.get(accountId) ?? { bytes: 0, responses: new Map() };
    this.#accounts.set(accountId, account);
    account.responses.set(socket, response);
    this.#change(accountId, account, size);
  }

  /** The items of a socket's last response if it has this id. */
  itemsOf(socket: object, accountId: string, id: string): Buffer | undefined {
    const responses = this.#accounts.get(accountId)?.responses;
    const kept = responses?.get(socket);
    if (kept?.id !== id) return undefined;
    responses?.delete(socket);
    responses?.set(socket, kept);
    return kept.items;
  }

  drop(socket: object, accountId: string): void {
    const account = this.#accounts.get(accountId);
    const kept = account?.responses.get(socket);
    if (account === undefined || kept === undefined) return;
    account.responses.delete(socket);
    this.#change(accountId, account, -sizeOf(kept));
  }

  /** Drops responses for a new one; false if it cannot be kept. */
  #makeRoom(accountId: string, size: number, accountBytes: number): boolean {
    const { totalBytes, responseBytes } = this.#options;
    if (size > Math.min(accountBytes, responseBytes)) return false;
    while (this.#bytesOf(accountId) + size > accountBytes) this.#dropOldest(accountId);
    while (this.#bytes + size > totalBytes) {
      const [mostId, most] = this.#largest();
      const own = this.#bytesOf(accountId);
      const loser = most > own + size ? mostId : accountId;
      if (loser === accountId && own === 0) return false;
      this.#dropOldest(loser);
    }
    return true;
  }

  #largest(): [accountId: string, bytes: number] {
    let largest: [string, number] = ['', 0];
    for (const [accountId, { bytes }] of this.#accounts) if (bytes > largest[1]) largest = [accountId, bytes];
    return largest;
  }

  #dropOldest(accountId: string): void {
    for (const socket of this.#accounts.get(accountId)?.responses.keys() ?? []) {
      this.drop(socket, accountId);
      return;
    }
  }

  #bytesOf(accountId: string): number {
    return this.#accounts.get(accountId)?.bytes ?? 0;
  }

  #change(accountId: string, account: AccountResponses, bytes: number): void {
    account.bytes += bytes;
    this.#bytes += bytes;
    if (account.bytes === 0) this.#accounts.delete(accountId);
  }
}

/** At least one byte. */
function sizeOf({ id, items }: KeptResponse): number {
  return id.length + items.length + 1;
}
