import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { ExpiringMap } from '../expiring-map.ts';

const MAX_ACCOUNTS = 10_000;
const REUSE_MS = 86_400_000;

/** Checks that accounts exist for operators, who may open every account. An account is never removed. */
export class KnownAccounts {
  readonly #auth: AuthServiceClient;
  readonly #known = new ExpiringMap<true>(MAX_ACCOUNTS);

  constructor(auth: AuthServiceClient) {
    this.#auth = auth;
  }

  /** Throws NOT_FOUND for an account that does not exist: elsewhere it would be one without keys, money and requests. */
  async require(accountId: string, options: UnaryCallOptions): Promise<void> {
    if (this.#known.get(accountId) === true) return;
    await unaryCall(this.#auth.getAccount.bind(this.#auth), { accountId }, options);
    this.#known.set(accountId, true, REUSE_MS);
  }
}
