import { type OperatorClients, openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import { newId } from '@tollgate/common/ids';
import {
  type AuthServiceClient,
  CreateKeyRequest,
  CreateProjectRequest,
  CreateServiceAccountRequest,
  type PriceRule,
  type RateLimits,
  type SpendingCaps,
  UpdateAccountRequest,
  UpdateKeyRequest,
  UpdateProjectRequest,
} from '@tollgate/proto/auth';
import { DepositKind, type LedgerServiceClient } from '@tollgate/proto/ledger';

const CALL = { deadlineMs: 20_000 };

/** An account with a working key. */
export interface Account {
  accountId: string;
  keyId: string;
  /** The complete key. */
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
  projectId?: string;
  serviceAccountId?: string;
}

/** Attributes of a project or service account. */
export type NodeOptions = NonNullable<Parameters<typeof CreateProjectRequest.fromPartial>[0]['settings']>;

/** Operations on accounts, over the services' gRPC. */
export class Accounts {
  readonly #clients: OperatorClients;
  #deposits = 0;

  /** @param tls undefined for unencrypted connections */
  constructor(addresses: { auth: string; ledger: string }, tls?: Pick<GrpcTls, 'forClients'>) {
    this.#clients = openOperatorClients(addresses, tls);
  }

  /** Creates an account with a key and, unless it is 0, a balance. */
  async create(nanos: bigint, keyOptions: KeyOptions = {}): Promise<Account> {
    const { account } = await unaryCall(
      this.#auth.createAccount.bind(this.#auth),
      { name: 'a test', idempotencyKey: newId() },
      CALL,
    );
    if (account === undefined) throw new Error('auth returned no account');
    if (nanos !== 0n) await this.deposit(account.accountId, nanos);
    const key = await this.createKey(account.accountId, keyOptions);
    return { accountId: account.accountId, ...key };
  }

  async createKey(accountId: string, options: KeyOptions = {}): Promise<{ keyId: string; key: string }> {
    const { expiresAtMs = 0, name = 'test key', ...others } = options;
    const request = CreateKeyRequest.fromPartial({ accountId, name, expiresAtMs: BigInt(expiresAtMs), ...others });
    const { key, secret } = await unaryCall(this.#auth.createKey.bind(this.#auth), request, CALL);
    if (key === undefined) throw new Error('auth returned no key');
    return { keyId: key.keyId, key: secret };
  }

  /** Sets exactly these caps; resolves when they are in effect. */
  async setCaps(keyId: string, caps: SpendingCaps): Promise<void> {
    await this.updateKey(keyId, { caps });
  }

  /** Sets the discount, in parts per million of list prices; resolves when it is in effect. */
  async setDiscount(accountId: string, discountPpm: number): Promise<void> {
    await this.updateAccount(accountId, { discountPpm });
  }

  /** Sets the prices of an account of its own; resolves when they are in effect. */
  async setPriceRules(accountId: string, rules: readonly PriceRule[]): Promise<void> {
    await this.updateAccount(accountId, { priceRules: { rules: [...rules] } });
  }

  /** Sets limits of the key; resolves when they are in effect. */
  async updateKey(keyId: string, named: Parameters<typeof UpdateKeyRequest.fromPartial>[0]): Promise<void> {
    const request = UpdateKeyRequest.fromPartial({ keyId, ...named });
    await unaryCall(this.#auth.updateKey.bind(this.#auth), request, CALL);
  }

  /** Creates a project. @returns its id */
  async createProject(accountId: string, settings: NodeOptions): Promise<string> {
    const request = CreateProjectRequest.fromPartial({ accountId, name: newId(), settings });
    const { project } = await unaryCall(this.#auth.createProject.bind(this.#auth), request, CALL);
    if (project === undefined) throw new Error('auth returned no project');
    return project.projectId;
  }

  /** Creates a service account. @returns its id */
  async createServiceAccount(accountId: string, projectId: string, settings: NodeOptions): Promise<string> {
    const request = CreateServiceAccountRequest.fromPartial({ accountId, projectId, name: newId(), settings });
    const { serviceAccount } = await unaryCall(this.#auth.createServiceAccount.bind(this.#auth), request, CALL);
    if (serviceAccount === undefined) throw new Error('auth returned no service account');
    return serviceAccount.serviceAccountId;
  }

  /** Changes a project; resolves when the change is in effect. */
  async updateProject(accountId: string, projectId: string, settings: NodeOptions): Promise<void> {
    const request = UpdateProjectRequest.fromPartial({ accountId, projectId, settings });
    await unaryCall(this.#auth.updateProject.bind(this.#auth), request, CALL);
  }

  /** Deletes a project with its keys. */
  async deleteProject(accountId: string, projectId: string): Promise<void> {
    await unaryCall(this.#auth.deleteProject.bind(this.#auth), { accountId, projectId }, CALL);
  }

  /** The last use of each key of an account, Unix milliseconds, by id; 0: never. */
  async lastUses(accountId: string): Promise<Map<string, number>> {
    const request = { accountId, pageSize: 0, pageToken: '' };
    const { keys } = await unaryCall(this.#auth.listKeys.bind(this.#auth), request, CALL);
    return new Map(keys.map(({ keyId, lastUsedAtMs }) => [keyId, Number(lastUsedAtMs)]));
  }

  /** Sets limits of the account; resolves when they are in effect. */
  async updateAccount(accountId: string, named: Parameters<typeof UpdateAccountRequest.fromPartial>[0]): Promise<void> {
    const request = UpdateAccountRequest.fromPartial({ accountId, ...named });
    await unaryCall(this.#auth.updateAccount.bind(this.#auth), request, CALL);
  }

  /** Suspends an account. */
  async suspend(accountId: string): Promise<void> {
    await unaryCall(this.#auth.suspendAccount.bind(this.#auth), { accountId, reason: 'a test' }, CALL);
  }

  /** Deletes the key; resolves when no ingress accepts it. */
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
    this.#clients.close();
  }

  get #auth(): AuthServiceClient {
    return this.#clients.auth;
  }

  get #ledger(): LedgerServiceClient {
    return this.#clients.ledger;
  }
}
