import { setTimeout as delay } from 'node:timers/promises';
import { createOperatorClient, operatorTokens } from '@tollgate/common/actors/operator';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { DepositKind, LedgerServiceClient } from '@tollgate/proto/ledger';

const RETRY_MS = 100;

export interface DepositorOptions {
  /** gRPC address of auth, which issues the tokens. */
  auth: string;
  /** gRPC addresses; a failed attempt is repeated at the next. */
  ledgers: readonly string[];
  accountIds: readonly string[];
  amountNanos: bigint;
  everyMs: number;
}

/** Makes deposits while processes are killed: each is sent until it is confirmed, with one idempotency key. */
export class Depositor {
  /** Confirmed payments, by account. */
  readonly made = new Map<string, number>();
  repeats = 0;
  readonly #options: DepositorOptions;
  readonly #auth: AuthServiceClient;
  readonly #clients: LedgerServiceClient[];
  readonly #running: Promise<void>;
  #stopped = false;

  constructor(options: DepositorOptions) {
    this.#options = options;
    this.#auth = createOperatorClient(options.auth);
    const actorToken = operatorTokens(this.#auth);
    this.#clients = options.ledgers.map((address) =>
      createGrpcClient(LedgerServiceClient, address, undefined, { actorToken }),
    );
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    for (const client of [this.#auth, ...this.#clients]) client.close();
  }

  async #run(): Promise<void> {
    for (let round = 1; !this.#stopped; round += 1) {
      for (const accountId of this.#options.accountIds) await this.#pay(accountId, `round-${round}`);
      await delay(this.#options.everyMs);
    }
  }

  /** Makes one payment, with retries. It ends, because every killed process is restarted. */
  async #pay(accountId: string, idempotencyKey: string): Promise<void> {
    const { amountNanos } = this.#options;
    const request = { accountId, kind: DepositKind.DEPOSIT, amountNanos, idempotencyKey, reason: 'during the crashes' };
    for (let tried = 0; tried < 1_000; tried += 1) {
      const client = this.#clients[tried % this.#clients.length];
      if (client === undefined) throw new Error('no ledger address was given');
      try {
        await unaryCall(client.deposit.bind(client), request, { deadlineMs: 5_000 });
        this.made.set(accountId, (this.made.get(accountId) ?? 0) + 1);
        return;
      } catch {
        this.repeats += 1;
        await delay(RETRY_MS);
      }
    }
    throw new Error(`a payment to ${accountId} was never confirmed`);
  }
}
