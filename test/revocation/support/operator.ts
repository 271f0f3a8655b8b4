import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOperatorClient, operatorTokens } from '@tollgate/common/actors/operator';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import {
  type Account,
  type ApiKey,
  type AuthServiceClient,
  CreateDerivedKeyRequest,
  CreateKeyRequest,
  type DerivedKey,
  type UpdateKeyRequest,
} from '@tollgate/proto/auth';
import { DepositKind, LedgerServiceClient } from '@tollgate/proto/ledger';
import { KnownAccount, KnownKey, KnownValue } from './book.ts';

const CALL_MS = 15_000;
/** Maximum time for which calls that failed or could not wait for every ingress are repeated; then the run fails. */
const GIVE_UP_MS = 60_000;
const PAUSE_MS = 100;
const CREDIT_NANOS = 100_000_000_000n;
/** Maximum difference of the clocks that end a value: of the database, auth, and this process. */
const CLOCKS_MS = 250;

/** The changed attributes of a key. */
type KeyChanges = Partial<Pick<UpdateKeyRequest, 'allowedModels' | 'caps' | 'limits'>>;

function withBelow(key: KnownKey): KnownKey[] {
  return [key, ...key.below.flatMap(withBelow)];
}

export interface OperatorOptions {
  /** Addresses by name. */
  auths: ReadonlyMap<string, string>;
  ledger: string;
}

/**
 * Creates and changes accounts and keys through auth's calls, repeats failed calls, and records when each was made and
 * returned.
 */
export class Operator {
  /** Numbers of calls of each kind that returned, and of repeated ones. */
  readonly calls = new Map<string, number>();
  readonly #auths: { name: string; client: AuthServiceClient }[];
  readonly #ledger: LedgerServiceClient;
  #turn = 0;

  constructor({ auths, ledger }: OperatorOptions) {
    this.#auths = [...auths].map(([name, address]) => ({
      name,
      client: createOperatorClient(address),
    }));
    const [first] = this.#auths;
    if (first === undefined) throw new Error('there is no auth');
    const actorToken = operatorTokens(first.client);
    this.#ledger = createGrpcClient(LedgerServiceClient, ledger, undefined, { actorToken });
  }

  /** The names of the auths that it calls. */
  get auths(): string[] {
    return this.#auths.map(({ name }) => name);
  }

  async createAccount(): Promise<KnownAccount> {
    const name = newName();
    const { response } = await this.#call('create account', (auth) =>
      unaryCall(auth.createAccount.bind(auth), { name, idempotencyKey: name }, { deadlineMs: CALL_MS }),
    );
    const { accountId, tag } = there<Account>(response.account);
    const deposit = { accountId, kind: DepositKind.DEPOSIT, amountNanos: CREDIT_NANOS, reason: 'for a test' };
    const client = this.#ledger;
    await this.#untilDone('deposit', () =>
      unaryCall(client.deposit.bind(client), { ...deposit, idempotencyKey: accountId }, { deadlineMs: CALL_MS }),
    );
    return new KnownAccount(accountId, tag);
  }

  async createKey(account: KnownAccount): Promise<KnownValue> {
    const request = CreateKeyRequest.fromPartial({ accountId: account.accountId, name: newName() });
    const { response } = await this.#call('create key', (auth) =>
      unaryCall(auth.createKey.bind(auth), request, { deadlineMs: CALL_MS }),
    );
    return new KnownValue(response.secret, new KnownKey(there<ApiKey>(response.key).keyId, account));
  }

  /** Makes a key below another one, as an ingress does for a request with that. */
  async deriveKey({ key: { keyId: parentKeyId, account, below } }: KnownValue): Promise<KnownValue> {
    const { accountId } = account;
    const request = CreateDerivedKeyRequest.fromPartial({ accountId, parentKeyId, name: newName() });
    const { response } = await this.#call('derive key', (auth) =>
      unaryCall(auth.createDerivedKey.bind(auth), request, { deadlineMs: CALL_MS }),
    );
    const key = new KnownKey(there<DerivedKey>(response.key).keyId, account);
    below.push(key);
    return new KnownValue(response.secret, key);
  }

  /** With the keys below it. @param at index of the auth to call; in turn by default */
  async deleteKey(key: KnownKey, at?: number): Promise<void> {
    const begunAt = performance.now();
    const values = withBelow(key).flatMap((each) => each.values);
    const changes = values.map((value) => value.good.begin(false, begunAt));
    const request = { keyId: key.keyId, accountId: '' };
    const { by } = await this.#call(
      'delete key',
      (auth, deadlineMs) => unaryCall(auth.deleteKey.bind(auth), request, { deadlineMs }),
      at,
    );
    const now = performance.now();
    for (const change of changes) change.settle(now, by);
  }

  /** Restricts a key to these models; empty: all. */
  async setModels(key: KnownKey, ids: readonly string[], at?: number): Promise<void> {
    const change = key.models.begin(ids, performance.now());
    const by = await this.#update(key, { allowedModels: { ids: [...ids] } }, at);
    change.settle(performance.now(), by);
  }

  /** Sets a key's cap to zero, or removes it. */
  async setCapped(key: KnownKey, isCapped: boolean): Promise<void> {
    const change = key.capped.begin(isCapped, performance.now());
    const none = { dayNanos: undefined, monthNanos: undefined, totalNanos: undefined };
    const by = await this.#update(key, { caps: isCapped ? { ...none, totalNanos: 0n } : none });
    change.settle(performance.now(), by);
  }

  /** Limits a key's requests per minute; undefined: no limit. */
  async setLimit(key: KnownKey, perMinute: number | undefined): Promise<void> {
    const change = key.limited.begin(perMinute !== undefined, performance.now());
    const requestsPerMinute = perMinute === undefined ? undefined : BigInt(perMinute);
    const by = await this.#update(key, {
      limits: { requestsPerMinute, tokensPerMinute: undefined, openRequests: undefined },
    });
    change.settle(performance.now(), by);
  }

  /** Gives a key a new value; the previous one stays valid for a while, older ones do not. */
  async rotateKey(key: KnownKey, overlapMs: number): Promise<KnownValue> {
    const begunAt = performance.now();
    const previous = key.values.at(-1);
    const cut = key.values
      .filter((value) => value !== previous || overlapMs === 0)
      .map((value) => value.good.begin(false, begunAt));
    if (overlapMs > 0 && previous !== undefined) previous.endsAt = begunAt + overlapMs;
    const ended = overlapMs === 0 ? undefined : previous?.good.begin(false, begunAt + overlapMs - CLOCKS_MS);
    const given = { keyId: key.keyId, accountId: '', overlapMs: BigInt(overlapMs), idempotencyKey: newName() };
    const request = { ...given, withDerived: false };
    const { response, by } = await this.#call('rotate key', (auth, deadlineMs) =>
      unaryCall(auth.rotateKey.bind(auth), request, { deadlineMs }),
    );
    const now = performance.now();
    for (const change of cut) change.settle(now, by);
    ended?.settle(now + overlapMs + CLOCKS_MS, by);
    return new KnownValue(response.secret, key);
  }

  async suspend(account: KnownAccount): Promise<void> {
    const change = account.active.begin(false, performance.now());
    const request = { accountId: account.accountId, reason: 'for a test' };
    const { by } = await this.#call('suspend account', (auth, deadlineMs) =>
      unaryCall(auth.suspendAccount.bind(auth), request, { deadlineMs }),
    );
    change.settle(performance.now(), by);
  }

  async resume(account: KnownAccount): Promise<void> {
    const change = account.active.begin(true, performance.now());
    const request = { accountId: account.accountId };
    const { by } = await this.#call('resume account', (auth, deadlineMs) =>
      unaryCall(auth.resumeAccount.bind(auth), request, { deadlineMs }),
    );
    change.settle(performance.now(), by);
  }

  close(): void {
    for (const { client } of this.#auths) client.close();
    this.#ledger.close();
  }

  async #update(key: KnownKey, changes: KeyChanges, at?: number): Promise<string> {
    const request: UpdateKeyRequest = {
      keyId: key.keyId,
      accountId: '',
      name: undefined,
      expiresAtMs: undefined,
      allowedModels: undefined,
      caps: undefined,
      limits: undefined,
      tags: undefined,
      ...changes,
    };
    const make = (auth: AuthServiceClient, deadlineMs: number) =>
      unaryCall(auth.updateKey.bind(auth), request, { deadlineMs });
    return (await this.#call('update key', make, at)).by;
  }

  /** The names of the ingresses whose last ping reached auth within this time. */
  async listPinging(withinMs: number): Promise<Set<string>> {
    const { response } = await this.#call('list watchers', (auth, deadlineMs) =>
      unaryCall(auth.listWatchers.bind(auth), {}, { deadlineMs }),
    );
    return new Set(response.watchers.filter((one) => one.silentMs < withinMs).map((one) => one.ingressName));
  }

  async #call<T>(
    what: string,
    make: (auth: AuthServiceClient, deadlineMs: number) => Promise<T>,
    at?: number,
  ): Promise<{ response: T; by: string }> {
    return this.#untilDone(what, async () => {
      this.#turn += 1;
      const auth = this.#auths[(at ?? this.#turn) % this.#auths.length];
      if (auth === undefined) throw new Error('there is no auth');
      return { response: await make(auth.client, CALL_MS), by: auth.name };
    });
  }

  async #untilDone<T>(what: string, make: () => Promise<T>): Promise<T> {
    for (const until = performance.now() + GIVE_UP_MS; ; ) {
      try {
        const result = await make();
        this.#count(what);
        return result;
      } catch (error) {
        this.#count(`${what}, made again`);
        if (performance.now() > until) throw new Error(`${what} failed for too long`, { cause: error });
        await delay(PAUSE_MS);
      }
    }
  }

  #count(what: string): void {
    this.calls.set(what, (this.calls.get(what) ?? 0) + 1);
  }
}

/** Unique, because two calls with the same key would return the same account. */
function newName(): string {
  return `test ${randomUUID()}`;
}

function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a field is missing in a response');
  return value;
}
