import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import {
  AuthServiceClient,
  CreateKeyRequest,
  type RateLimits,
  type SpendingCaps,
  UpdateAccountRequest,
  UpdateKeyRequest,
} from '@tollgate/proto/auth';
import { DepositKind, LedgerServiceClient } from '@tollgate/proto/ledger';

const CALL = { deadlineMs: 20_000 };

/** An account with a key that works. */
export interface Account {
  accountId: string;
  keyId: string;
  /** The whole key. */
  key: string;
}

export interface KeyOptions {
  name?: string;
  /** Unix milliseconds. */
  expiresAtMs?: number;
  allowedModels?: string[];
  caps?: SpendingCaps;
  limits?: RateLimits;
  tags?: Record<string, string>;
}

/** What an operator does with accounts, over the services' own gRPC. */
export class Accounts {
  readonly #auth: AuthServiceClient;
  readonly #ledger: LedgerServiceClient;
  #deposits = 0;

  /** @param tls undefined for connections that are not encrypted */
  constructor(addresses: { auth: string; ledger: string }, tls?: Pick<GrpcTls, 'forClients'>) {
    this.#auth = createGrpcClient(AuthServiceClient, addresses.auth, tls);
    this.#ledger = createGrpcClient(LedgerServiceClient, addresses.ledger, tls);
  }

  /** Creates an account with a key and, unless it is 0, a balance. */
  async create(nanos: bigint, keyOptions: KeyOptions = {}): Promise<Account> {
    const { account } = await unaryCall(
      this.#auth.createAccount.bind(this.#auth),
      { name: 'a test', idempotencyKey: '' },
      CALL,
    );
    if (account === undefined) throw new Error('no account came back');
    if (nanos !== 0n) await this.deposit(account.accountId, nanos);
    const key = await this.createKey(account.accountId, keyOptions);
    return { accountId: account.accountId, ...key };
  }

  async createKey(accountId: string, options: KeyOptions = {}): Promise<{ keyId: string; key: string }> {
    const { expiresAtMs = 0, name = 'test key', ...others } = options;
    const request = CreateKeyRequest.fromPartial({ accountId, name, expiresAtMs: BigInt(expiresAtMs), ...others });
    const { key, secret } = await unaryCall(this.#auth.createKey.bind(this.#auth), request, CALL);
    if (key === undefined) throw new Error('no key came back');
    return { keyId: key.keyId, key: secret };
  }

  /** Resolves when the key's requests are held to these caps and no others. */
  async setCaps(keyId: string, caps: SpendingCaps): Promise<void> {
    await this.updateKey(keyId, { caps });
  }

  /** Resolves when the account's requests have the discount, parts per million of list prices. */
  async setDiscount(accountId: string, discountPpm: number): Promise<void> {
    await this.updateAccount(accountId, { discountPpm });
  }

  /** Resolves when the key's requests are held to what is named. */
  async updateKey(keyId: string, named: Parameters<typeof UpdateKeyRequest.fromPartial>[0]): Promise<void> {
    const request = UpdateKeyRequest.fromPartial({ keyId, ...named });
    await unaryCall(this.#auth.updateKey.bind(this.#auth), request, CALL);
  }

  /** When each key of an account was used last, Unix milliseconds, by its id; 0: never, as far as auth knows. */
  async lastUses(accountId: string): Promise<Map<string, number>> {
    const request = { accountId, pageSize: 0, pageToken: '' };
    const { keys } = await unaryCall(this.#auth.listKeys.bind(this.#auth), request, CALL);
    return new Map(keys.map(({ keyId, lastUsedAtMs }) => [keyId, Number(lastUsedAtMs)]));
  }

  /** Resolves when the account's requests are held to what is named. */
  async updateAccount(accountId: string, named: Parameters<typeof UpdateAccountRequest.fromPartial>[0]): Promise<void> {
    const request = UpdateAccountRequest.fromPartial({ accountId, ...named });
    await unaryCall(this.#auth.updateAccount.bind(this.#auth), request, CALL);
  }

  /** Resolves when no ingress accepts the key any more. */
  async deleteKey(keyId: string): Promise<void> {
    await unaryCall(this.#auth.deleteKey.bind(this.#auth), { keyId, accountId: '' }, CALL);
  }

  async deposit(
    accountId: string,
    amountNanos: bigint,
    kind: DepositKind = DepositKind.DEPOSIT,
    reason = 'for a test',
  ): Promise<void> {
    this.#deposits += 1;
    const idempotencyKey = `test-${accountId}-${this.#deposits}`;
    const request = { accountId, kind, amountNanos, idempotencyKey, reason };
    await unaryCall(this.#ledger.deposit.bind(this.#ledger), request, CALL);
  }

  close(): void {
    this.#auth.close();
    this.#ledger.close();
  }
}
