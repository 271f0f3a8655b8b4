import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { startHealth } from '@tollgate/common/health';
import { newId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { ACTOR_SIGNING_SETTINGS, operatorToken } from '@tollgate/common/testing/actors';
import { findFreePort } from '@tollgate/local';
import {
  type Account,
  type ApiKey,
  AuthServiceClient,
  CreateDerivedKeyRequest,
  CreateKeyRequest,
  type DerivedKey,
  type RateLimits,
  type ResolveKeyResponse,
  type SpendingCaps,
  UpdateAccountRequest,
  UpdateKeyRequest,
  type WatchRevocationsResponse,
} from '@tollgate/proto/auth';
import { readConfig } from '../src/config.ts';
import { createDependencies } from '../src/dependencies.ts';
import { MIGRATIONS_FOLDER } from '../src/folders.ts';
import { createServer } from '../src/server.ts';
import { SCHEMA } from '../src/store/schema.ts';

export const silent = createLogger('test', 'silent');

/** Brings the schema of a test's database up to date. */
export async function migrateAuth(databaseUrl: string): Promise<void> {
  await migrate({ databaseUrl, schema: SCHEMA, folder: MIGRATIONS_FOLDER }, silent);
}

/** A real auth service inside the test's process, and a client of it whose calls an operator makes. */
export class AuthUnderTest {
  readonly client: AuthServiceClient;
  readonly address: string;
  readonly #stop: () => Promise<void>;

  private constructor(address: string, stop: () => Promise<void>) {
    this.address = address;
    this.client = createGrpcClient(AuthServiceClient, address, undefined, { actorToken: operatorToken });
    this.#stop = stop;
  }

  /** Settings are those of the environment; TRUST_MS and the like may be made short. */
  static async start(settings: Record<string, string>): Promise<AuthUnderTest> {
    const config = readConfig({
      LISTEN_HOST: '127.0.0.1',
      // Not one that the system gives out: it may have to be free still for another in its place.
      GRPC_PORT: String(await findFreePort()),
      DATABASE_POOL_SIZE: '5',
      SHUTDOWN_GRACE_MS: '2000',
      // The Redis of tests is slow at times, as all of a busy machine is; those in which it is down say what is slow.
      REDIS_TIMEOUT_MS: '10000',
      ...ACTOR_SIGNING_SETTINGS,
      ...settings,
    });
    const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT);
    const { start, stopSteps } = createServer(createDependencies(config, silent), health);
    await start();
    return new AuthUnderTest(`127.0.0.1:${config.GRPC_PORT}`, async () => {
      for (const step of stopSteps) await step.run();
    });
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.#stop();
  }

  async createAccount(name = 'Acme', idempotencyKey = newId()): Promise<Account> {
    const { client } = this;
    const { account } = await unaryCall(client.createAccount.bind(client), { name, idempotencyKey }, LONG);
    return required(account);
  }

  async createKey(
    accountId: string,
    options: {
      name?: string;
      expiresAtMs?: bigint;
      allowedModels?: string[];
      caps?: SpendingCaps;
      limits?: RateLimits;
      tags?: Record<string, string>;
      projectId?: string;
      exceedsDefaults?: boolean;
      eachSessionNanos?: bigint;
      serviceAccountId?: string;
    } = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const { client } = this;
    const request = CreateKeyRequest.fromPartial({ accountId, name: 'a key', ...options });
    const { key, secret } = await unaryCall(client.createKey.bind(client), request, LONG);
    return { key: required(key), secret };
  }

  /** Makes a key below another one, as an ingress does for a request with that. */
  async deriveKey(
    { accountId, keyId: parentKeyId }: Pick<ApiKey, 'accountId' | 'keyId'>,
    given: Parameters<typeof CreateDerivedKeyRequest.fromPartial>[0] = {},
  ): Promise<{ key: DerivedKey; secret: string }> {
    const { client } = this;
    const request = CreateDerivedKeyRequest.fromPartial({ accountId, parentKeyId, name: 'a run', ...given });
    const { key, secret } = await unaryCall(client.createDerivedKey.bind(client), request, LONG);
    return { key: required(key), secret };
  }

  async deleteKey(keyId: string, options: { accountId?: string; deadlineMs?: number } = {}): Promise<ApiKey> {
    const { client } = this;
    const request = { keyId, accountId: options.accountId ?? '' };
    const deadlineMs = options.deadlineMs ?? LONG.deadlineMs;
    const { key } = await unaryCall(client.deleteKey.bind(client), request, { deadlineMs });
    return required(key);
  }

  /** Changes what is named of a key. */
  async updateKey(keyId: string, named: Parameters<typeof UpdateKeyRequest.fromPartial>[0]): Promise<ApiKey> {
    const { client } = this;
    const request = UpdateKeyRequest.fromPartial({ keyId, ...named });
    const { key } = await unaryCall(client.updateKey.bind(client), request, LONG);
    return required(key);
  }

  async rotateKey(
    keyId: string,
    overlapMs: number,
    options: { idempotencyKey?: string; accountId?: string; deadlineMs?: number; withDerived?: boolean } = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const { client } = this;
    const { idempotencyKey = newId(), accountId = '', deadlineMs = LONG.deadlineMs, withDerived = false } = options;
    const request = { keyId, accountId, overlapMs: BigInt(overlapMs), idempotencyKey, withDerived };
    const { key, secret } = await unaryCall(client.rotateKey.bind(client), request, { deadlineMs });
    return { key: required(key), secret };
  }

  /** Changes what is named of an account. */
  async updateAccount(
    accountId: string,
    named: Parameters<typeof UpdateAccountRequest.fromPartial>[0],
  ): Promise<Account> {
    const { client } = this;
    const request = UpdateAccountRequest.fromPartial({ accountId, ...named });
    const { account } = await unaryCall(client.updateAccount.bind(client), request, LONG);
    return required(account);
  }

  async suspend(accountId: string, reason: string, deadlineMs = LONG.deadlineMs): Promise<Account> {
    const { client } = this;
    const { account } = await unaryCall(client.suspendAccount.bind(client), { accountId, reason }, { deadlineMs });
    return required(account);
  }

  async resume(accountId: string, deadlineMs = LONG.deadlineMs): Promise<Account> {
    const { client } = this;
    const { account } = await unaryCall(client.resumeAccount.bind(client), { accountId }, { deadlineMs });
    return required(account);
  }

  async resolve(keySha256: Buffer, accountTag: string): Promise<ResolveKeyResponse['result']> {
    const { client } = this;
    const { result } = await unaryCall(client.resolveKey.bind(client), { keySha256, accountTag }, LONG);
    return result;
  }
}

const LONG = { deadlineMs: 20_000 };

/** A watcher that does only what a test calls. */
export class ScriptedWatcher {
  readonly messages: WatchRevocationsResponse[] = [];
  readonly watcherId: string;
  ended = false;
  readonly #stream: ReturnType<AuthServiceClient['watchRevocations']>;
  readonly #ingressName: string;
  #ping: bigint;

  constructor(
    client: AuthServiceClient,
    watcherId: string,
    { firstPing = 1n, ingressName = 'test' }: { firstPing?: bigint; ingressName?: string } = {},
  ) {
    this.watcherId = watcherId;
    this.#ingressName = ingressName;
    this.#ping = firstPing - 1n;
    this.#stream = client.watchRevocations();
    this.#stream.on('data', (message: WatchRevocationsResponse) => this.messages.push(message));
    this.#stream.on('error', () => {
      this.ended = true;
    });
    this.#stream.on('end', () => {
      this.ended = true;
    });
  }

  /** Sends a ping; returns its number. */
  ping(appliedSequence: bigint, leaving = false): bigint {
    this.#ping += 1n;
    const { watcherId } = this;
    this.#stream.write({ watcherId, ping: this.#ping, appliedSequence, leaving, ingressName: this.#ingressName });
    return this.#ping;
  }

  isConfirmed(ping: bigint): boolean {
    return this.messages.some((message) => message.ping === ping);
  }

  /** Everything sent so far, in order. */
  get revocations(): WatchRevocationsResponse['revocations'] {
    return this.messages.flatMap((message) => message.revocations);
  }

  /** The dead values received so far, in order. */
  get deadValues(): Buffer[] {
    return this.revocations.flatMap(({ what }) => (what?.$case === 'deadKeySha256' ? [what.value] : []));
  }

  get lastSequence(): bigint {
    return this.revocations.at(-1)?.sequence ?? 0n;
  }

  /** Says nothing more. */
  end(): void {
    this.#stream.end();
  }

  cancel(): void {
    this.#stream.cancel();
  }
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a field is missing in a response');
  return value;
}
