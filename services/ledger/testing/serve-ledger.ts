import { createGrpcClient } from '@tollgate/common/grpc/client';
import type { GrpcServer } from '@tollgate/common/grpc/server';
import { newId } from '@tollgate/common/ids';
import { ACTOR_SETTINGS, operatorToken } from '@tollgate/common/testing/actors';
import { LedgerServiceClient } from '@tollgate/proto/ledger';
import { configSchema, type LedgerConfig } from '../src/config.ts';
import { createDependencies, type Dependencies, type Overrides } from '../src/dependencies.ts';
import { startLedgerServer } from '../src/server.ts';
import { LeaseCall } from './lease-call.ts';
import { createLedger, type LedgerFixture, silent } from './ledger-fixture.ts';

/** A gRPC server of a ledger, with a client whose calls an operator makes. */
export interface LedgerReplica {
  server: GrpcServer;
  dependencies: Dependencies;
  client: LedgerServiceClient;
  stop: () => Promise<void>;
}

/** The calls of tests come from the command line, of which the ledger does not ask auth. */
const NO_AUTH = { AUTH_ADDRESS: '127.0.0.1:1' };

async function startReplica(
  ledger: LedgerFixture,
  settings: Partial<LedgerConfig>,
  overrides: Overrides = {},
): Promise<LedgerReplica> {
  const env = { DATABASE_URL: ledger.url, GRPC_PORT: 0, LISTEN_HOST: '127.0.0.1', ...NO_AUTH, ...ACTOR_SETTINGS };
  const config = { ...configSchema.parse(env), ...settings };
  const dependencies = createDependencies(config, silent, { pool: ledger.pool, ...overrides });
  const server = await startLedgerServer(dependencies);
  const client = createGrpcClient(LedgerServiceClient, `127.0.0.1:${server.port}`, undefined, {
    actorToken: operatorToken,
  });
  const stop = async () => {
    client.close();
    dependencies.auth.close();
    dependencies.streams.drain();
    await server.stop(2_000);
  };
  return { server, dependencies, client, stop };
}

export type ServedLedger = LedgerFixture & Omit<LedgerReplica, 'stop'>;

/** An empty ledger behind a gRPC server, with a client. `settings` are not validated. */
export async function serveLedger(
  settings: Partial<LedgerConfig> = {},
  overrides: Overrides = {},
): Promise<ServedLedger> {
  const ledger = await createLedger();
  const { stop, ...replica } = await startReplica(ledger, settings, overrides);
  const drop = async () => {
    await stop();
    await ledger.drop();
  };
  return { ...ledger, ...replica, drop };
}

/** An empty ledger with two replicas, and the sessions that a test opens at them. */
export class ReplicatedLedger {
  readonly pool: LedgerFixture['pool'];
  readonly #ledger: LedgerFixture;
  readonly #replicas: readonly LedgerReplica[];
  readonly #calls: LeaseCall[] = [];

  private constructor(ledger: LedgerFixture, replicas: readonly LedgerReplica[]) {
    this.pool = ledger.pool;
    this.#ledger = ledger;
    this.#replicas = replicas;
  }

  static async start(overrides: Overrides): Promise<ReplicatedLedger> {
    const ledger = await createLedger();
    return new ReplicatedLedger(ledger, await Promise.all([1, 2].map(() => startReplica(ledger, {}, overrides))));
  }

  replica(index: number): LedgerReplica {
    const replica = this.#replicas[index];
    if (replica === undefined) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  /** Opens a session at a replica; `endSessions` ends its stream. */
  async session(index: number, sessionId = newId()): Promise<LeaseCall> {
    const call = await LeaseCall.opened(this.replica(index).client, sessionId);
    this.#calls.push(call);
    return call;
  }

  endSessions(): void {
    for (const call of this.#calls.splice(0)) call.end();
  }

  async drop(): Promise<void> {
    for (const { stop } of this.#replicas) await stop();
    await this.#ledger.drop();
  }
}
