import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryDatabase } from '../support/database.ts';
import { waitUntilIdle } from '../support/database-turns.ts';
import type { CommitFault } from '../support/faulty-pool.ts';
import { RecallHub } from '../support/recall-hub.ts';
import { Replica } from '../support/replica.ts';
import { type Counts, count, Violation } from '../support/violation.ts';
import { type Actor, asActor, type VirtualTime } from '../support/virtual-time.ts';
import { Ingress } from './ingress.ts';
import type { SystemInvariants } from './invariants.ts';
import { Network } from './network.ts';
import { INGRESSES, REPLICAS } from './steps.ts';

/** Maximum rounds in which messages cause further messages. */
const MAX_ROUNDS = 5_000;

export interface WorldOptions {
  database: HistoryDatabase;
  time: VirtualTime;
  counts: Counts;
  invariants: SystemInvariants;
  /** The folder of the journals. */
  folder: string;
  settleBeforeEndMs: number;
}

/** The machines of a history: ingresses, ledgers, the network between them, and their time. */
export class World {
  readonly database: HistoryDatabase;
  readonly counts: Counts;
  readonly network: Network;
  readonly #time: VirtualTime;
  readonly #invariants: SystemInvariants;
  readonly #hub = new RecallHub();
  readonly #replicas: Replica[] = [];
  readonly #ingresses: Ingress[] = [];
  /** The ledger that receives payments; it never fails. */
  readonly #paymentLedger: Replica;
  readonly #journals: string;
  #failure: Error | undefined;
  #started = 0;

  private constructor(options: WorldOptions, journals: string) {
    const { database, time, counts, invariants, settleBeforeEndMs } = options;
    this.database = database;
    this.counts = counts;
    this.#time = time;
    this.#invariants = invariants;
    this.#journals = journals;
    this.#paymentLedger = new Replica('payments', database.url, this.#hub, () => time.nowMs);
    this.network = new Network(() => this.#replicas, {
      responded: ({ message }) => {
        if (message?.$case === 'opened') invariants.recordConfirmation(message.value.sessionId, time.nowMs);
      },
      confirmed: (sessionId) => invariants.recordConfirmation(sessionId, time.nowMs),
      settled: ({ outcomes }) => {
        for (const outcome of outcomes) count(counts, `outcome ${outcome}`);
      },
    });
    const connect = (actor: Actor) => this.network.client(actor);
    for (let index = 0; index < INGRESSES; index += 1) {
      const folder = join(journals, `${index}`);
      this.#ingresses.push(new Ingress(`ingress-${index}`, folder, time, connect, settleBeforeEndMs));
    }
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas.push(this.#newReplica());
  }

  static async create(options: WorldOptions): Promise<World> {
    return new World(options, await mkdtemp(join(options.folder, 'journals-')));
  }

  /** Ends all processes, whatever their state. */
  async destroy(): Promise<void> {
    for (const ingress of this.#ingresses) ingress.ended();
    await waitUntilIdle();
    for (const replica of [...this.#replicas, this.#paymentLedger]) replica.close();
    await rm(this.#journals, { recursive: true, force: true });
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  get ingresses(): readonly Ingress[] {
    return this.#ingresses;
  }

  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  ingress(index: number): Ingress {
    const found = this.#ingresses[index];
    if (found === undefined) throw new Error(`there is no ingress ${index}`);
    return found;
  }

  replica(index: number): Replica {
    const found = this.#replicas[index];
    if (found === undefined) throw new Error(`there is no ledger ${index}`);
    return found;
  }

  /** Runs work at the ledger that receives payments. */
  atPaymentLedger<T>(work: (paymentLedger: Replica) => T): T {
    return asActor(this.#paymentLedger, () => work(this.#paymentLedger));
  }

  /** Records a violation where it cannot be thrown. */
  fail(what: string, error: unknown): void {
    this.#failure ??=
      error instanceof Violation
        ? error
        : new Violation(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** Delivers and handles everything that is due at this moment. */
  async settle(): Promise<void> {
    await waitUntilIdle();
    for (let round = 0; this.network.flow(); round += 1) {
      if (round > MAX_ROUNDS) throw new Violation('messages cause further ones endlessly');
      await waitUntilIdle();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  wait(ms: number): Promise<void> {
    return this.#time.advance(ms, () => this.settle());
  }

  /** Waits for something that takes time, up to a limit. */
  async until(isDone: () => boolean, stepMs: number, withinMs: number): Promise<boolean> {
    await this.settle();
    for (let waited = 0; !isDone(); waited += stepMs) {
      if (waited >= withinMs) return false;
      await this.wait(stepMs);
    }
    return true;
  }

  #newReplica(): Replica {
    this.#started += 1;
    const replica = new Replica(`ledger-${this.#started}`, this.database.url, this.#hub, () => this.nowMs);
    replica.startSweeping(() => this.#invariants.recordSweep(this.nowMs));
    return replica;
  }

  /** Replaces a dead ledger by a new process. */
  startReplica(index: number): void {
    if (this.replica(index).dead) this.#replicas[index] = this.#newReplica();
  }

  startReplicas(): void {
    for (let index = 0; index < REPLICAS; index += 1) this.startReplica(index);
  }

  killReplica(replica: Replica): void {
    if (replica.dead) return;
    replica.kill();
    this.network.cut(replica);
  }

  killReplicas(): void {
    for (const replica of this.#replicas) this.killReplica(replica);
  }

  /** The next commit of a replica fails; `dies`: the replica is killed as well. */
  failNextCommit(index: number, fault: CommitFault, dies: boolean): void {
    const replica = this.replica(index);
    replica.faultyPool.failNextCommit(fault, () => {
      count(this.counts, 'failed commit');
      if (dies) this.killReplica(replica);
    });
  }

  /** Stops ingresses gracefully. @returns how long that took */
  async drain(ingresses: readonly Ingress[], graceMs: number): Promise<number> {
    const sinceMs = this.nowMs;
    let left = ingresses.length;
    const stopped = () => {
      left -= 1;
    };
    for (const ingress of ingresses)
      ingress.stop(graceMs).then(stopped, (error: unknown) => this.fail('a stop', error));
    const inTime = await this.until(() => left === 0, 50, graceMs + 5_000);
    if (!inTime) throw new Violation('an ingress does not stop');
    return this.nowMs - sinceMs;
  }
}
