import { createGrpcClient } from '@tollgate/common/grpc/client';
import { runPeriodically } from '@tollgate/common/periodic';
import { ACTOR_SETTINGS, actorWith } from '@tollgate/common/testing/actors';
import { configSchema, heartbeatIntervalMs, keepDeadSessionMs, type LedgerConfig } from '@tollgate/ledger/config';
import { createDependencies } from '@tollgate/ledger/dependencies';
import { sweep } from '@tollgate/ledger/jobs/sweep';
import { endLots } from '@tollgate/ledger/lots/end-lots';
import type { Recalls } from '@tollgate/ledger/recall/recalls';
import { createHandlers } from '@tollgate/ledger/server';
import { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceServer } from '@tollgate/proto/ledger';
import { silent } from './database.ts';
import type { FaultyPool } from './faulty-pool.ts';
import type { RecallHub } from './recall-hub.ts';
import { returnPool, takePool } from './spare-pools.ts';
import { type Actor, asActor } from './virtual-time.ts';

/** Times of the simulated ledger: short, so an hour becomes a hundred seconds of a history. */
export const TIMES = configSchema.parse({
  DATABASE_URL: 'postgres://history',
  GRPC_PORT: 0,
  AUTH_ADDRESS: '127.0.0.1:1',
  SESSION_TTL_MS: 15_000,
  MAX_REQUEST_MS: 60_000,
  REPLAY_MARGIN_MS: 25_000,
  ...ACTOR_SETTINGS,
}) satisfies LedgerConfig;

/** Not called: an operator makes all calls. One for all replicas, of which there are thousands. */
const auth = createGrpcClient(AuthServiceClient, TIMES.AUTH_ADDRESS);

/** Interval of heartbeats and of the sweeper. */
export const HEARTBEAT_INTERVAL_MS = heartbeatIntervalMs(TIMES);

/**
 * How long after its last heartbeat a dead session's credit must be kept, independently of the code under test: its time to
 * live, the longest request and the replay of its journal.
 */
export const KEEP_MS = 15_000 + 60_000 + 25_000;

/** One process of the ledger: its handlers and its pool. */
export class Replica implements Actor {
  readonly name: string;
  paused = false;
  dead = false;
  readonly faultyPool: FaultyPool;
  readonly handlers: LedgerServiceServer;

  readonly #hub: RecallHub;
  readonly #recalls: Recalls;

  constructor(name: string, url: string, hub: RecallHub, nowMs: () => number) {
    this.name = name;
    this.#hub = hub;
    this.faultyPool = takePool(url, nowMs);
    const dependencies = asActor(this, () =>
      createDependencies(TIMES, silent, { pool: this.faultyPool.pool, bus: hub.join(this), auth }),
    );
    this.#recalls = dependencies.recalls;
    // An operator makes all calls: verifying tokens would take time that the histories do not control.
    this.handlers = asActor(this, () => createHandlers({ ...dependencies, authorize: async () => actorWith() }));
  }

  /** One round of the job that ends lots. */
  async endLots(): Promise<void> {
    const { pool } = this.faultyPool;
    const context = { pool, recalls: this.#recalls, sessionTtlMs: TIMES.SESSION_TTL_MS, logger: silent };
    return asActor(this, () => endLots(context, new AbortController().signal));
  }

  /** Sweeps periodically, like the service. `swept` is called after each round. */
  startSweeping(swept: () => void): void {
    const round = async () => {
      await this.sweep();
      swept();
    };
    asActor(this, () => runPeriodically('sweep', HEARTBEAT_INTERVAL_MS, silent, round));
  }

  /** One round of the sweeper. */
  async sweep(): Promise<string[]> {
    const options = { gapMs: TIMES.SESSION_TTL_MS, keepMs: keepDeadSessionMs(TIMES) };
    return asActor(this, () => sweep(this.faultyPool.pool, options, silent));
  }

  /** Kills the process: nothing of it runs any more, and what it had not committed is rolled back. */
  kill(): void {
    this.dead = true;
    this.#hub.leave(this.name);
    if (!returnPool(this.faultyPool)) this.faultyPool.kill();
  }

  /** Ends the process at the end of a history. */
  close(): void {
    if (!this.dead) this.kill();
  }
}
