import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { status } from '@grpc/grpc-js';
import { BALANCE } from '@tollgate/common/cap-periods';
import { isGrpcError } from '@tollgate/common/errors';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { ACTOR_SETTINGS, operatorToken } from '@tollgate/common/testing/actors';
import { findFreePort } from '@tollgate/local';
import { type Balance, CapPeriod, type Charge, DepositKind, LedgerServiceClient } from '@tollgate/proto/ledger';
import { migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { until } from './credit-fixture.ts';

const LEDGER = fileURLToPath(new URL('../../../ledger/src/main.ts', import.meta.url));
const NOT_YET: readonly number[] = [status.UNAVAILABLE, status.CANCELLED, status.DEADLINE_EXCEEDED];
const DEADLINE = { deadlineMs: 20_000 };

/** Short enough for tests, and longer than a busy machine stalls. */
export const SESSION_TTL_MS = 5_000;

/** The real ledger service as a separate process with its own database; it can be killed and restarted. */
export class LedgerProcess {
  readonly client: LedgerServiceClient;
  readonly #env: Record<string, string>;
  readonly #dropDatabase: () => Promise<void>;
  #process: ChildProcess | undefined;

  private constructor(env: Record<string, string>, dropDatabase: () => Promise<void>) {
    this.#env = env;
    this.#dropDatabase = dropDatabase;
    this.client = this.newClient();
  }

  static async create(): Promise<LedgerProcess> {
    const database = await migratedDatabase();
    const ledger = new LedgerProcess(
      {
        DATABASE_URL: database.url,
        GRPC_PORT: String(await findFreePort()),
        LISTEN_HOST: '127.0.0.1',
        AUTH_ADDRESS: '127.0.0.1:1',
        LOG_LEVEL: 'fatal',
        SESSION_TTL_MS: String(SESSION_TTL_MS),
        ...ACTOR_SETTINGS,
      },
      database.drop,
    );
    await ledger.start();
    return ledger;
  }

  get address(): string {
    return `127.0.0.1:${this.#env['GRPC_PORT']}`;
  }

  newClient(): LedgerServiceClient {
    return createGrpcClient(LedgerServiceClient, this.address, undefined, { actorToken: operatorToken });
  }

  /** Starts the process and waits until it responds. */
  async start(): Promise<void> {
    const started = this.#spawn();
    this.#process = started;
    const ended = new AbortController();
    started.once('exit', () => ended.abort());
    const isUp = async () => {
      if (started.exitCode !== null) throw new Error(`the ledger ended with ${started.exitCode}`);
      return await this.#responds(ended.signal);
    };
    await until(isUp, DEADLINE.deadlineMs);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  }

  async drop(): Promise<void> {
    this.client.close();
    await this.kill();
    await this.#dropDatabase();
  }

  /** A new account with this balance. */
  async funded(amountNanos: bigint): Promise<string> {
    const accountId = newId();
    const deposit = { accountId, kind: DepositKind.DEPOSIT, amountNanos, idempotencyKey: accountId, reason: 'test' };
    await unaryCall(this.client.deposit.bind(this.client), deposit, DEADLINE);
    return accountId;
  }

  balance(accountId: string): Promise<Balance> {
    return unaryCall(this.client.getBalance.bind(this.client), { accountId }, DEADLINE);
  }

  /** Whether the ledger responds; not at first while the client still uses its connection to a killed process. */
  async #responds(signal: AbortSignal): Promise<boolean> {
    try {
      const method = this.client.getBalance.bind(this.client);
      await unaryCall(method, { accountId: newId() }, { ...DEADLINE, signal });
      return true;
    } catch (error) {
      if (!isGrpcError(error) || !NOT_YET.includes(error.code)) throw error;
      return false;
    }
  }

  /** Up to 1,000 charges of the account from the last hour. */
  async charges(accountId: string): Promise<Charge[]> {
    const now = Date.now();
    const range = { startMs: BigInt(now - 3_600_000), endMs: BigInt(now + 60_000), limit: 1_000, cursor: '' };
    const query = {
      accountId,
      ...range,
      model: '',
      keyId: '',
      status: 0 as const,
      tagName: '',
      tagValue: '',
      clientSessionId: '',
      projectId: '',
      ownerId: '',
    };
    return (await unaryCall(this.client.listCharges.bind(this.client), query, DEADLINE)).charges;
  }

  /** Grants credit, and the same amount of a key's total cap, to a session over a stream that breaks. */
  async grantUnanswered(
    sessionId: string,
    accountId: string,
    { keyId, limitNanos, nanos }: { keyId: string; limitNanos: bigint; nanos: bigint },
  ): Promise<void> {
    const call = this.client.lease();
    call.on('error', () => undefined);
    const total = { nodeId: keyId, period: CapPeriod.TOTAL, periodStartMs: 0n };
    const needs = [
      { ceiling: BALANCE, grantedTotalNeeded: nanos, limitNanos: 0n, revision: 0n },
      { ceiling: total, grantedTotalNeeded: nanos, limitNanos, revision: 1n },
    ];
    call.write({ message: { $case: 'open', value: { sessionId, ingressName: 'test' } } });
    await once(call, 'data');
    call.write({ message: { $case: 'acquire', value: { accountId, sequence: 1n, needs, prefetch: false } } });
    await once(call, 'data');
    call.cancel();
  }

  /** Closes a session from another process. */
  async closeSession(sessionId: string): Promise<void> {
    const call = this.client.lease();
    const own = { sessionId: newId(), ingressName: 'test' };
    call.write({ message: { $case: 'open', value: own } });
    await once(call, 'data');
    call.write({ message: { $case: 'close', value: { sessionId } } });
    await once(call, 'data');
    call.write({ message: { $case: 'close', value: { sessionId: own.sessionId } } });
    await once(call, 'data');
    call.on('error', () => undefined);
    call.cancel();
  }

  #spawn(): ChildProcess {
    const inherited = Object.fromEntries(['PATH', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]));
    return spawn(process.execPath, [LEDGER], {
      env: { ...inherited, ...this.#env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
}
