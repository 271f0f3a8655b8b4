import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryDatabase } from '../support/database.ts';
import { quiet } from '../support/database-turns.ts';
import { type Counts, count, Disagreement } from '../support/disagreement.ts';
import type { CommitFault } from '../support/faulty-pool.ts';
import { RecallHub } from '../support/recall-hub.ts';
import { Replica } from '../support/replica.ts';
import { type Actor, asActor, type VirtualTime } from '../support/virtual-time.ts';
import { Ingress } from './ingress.ts';
import { Network } from './network.ts';
import type { Promises } from './promises.ts';
import { INGRESSES, REPLICAS } from './steps.ts';

/** Rounds without an end in which messages only bring about further ones. */
const MAX_ROUNDS = 5_000;

export interface WorldOptions {
  database: HistoryDatabase;
  time: VirtualTime;
  counts: Counts;
  promises: Promises;
  /** Where journals may be. */
  folder: string;
  settleBeforeEndMs: number;
}

/** The machines of a history: ingresses, ledgers, the network between them, and the time they all have. */
export class World {
  readonly database: HistoryDatabase;
  readonly counts: Counts;
  readonly network: Network;
  readonly #time: VirtualTime;
  readonly #promises: Promises;
  readonly #hub = new RecallHub();
  readonly #replicas: Replica[] = [];
  readonly #ingresses: Ingress[] = [];
  /** Where payments come in: a ledger to which nothing happens. */
  readonly #office: Replica;
  readonly #journals: string;
  #failure: Error | undefined;
  #started = 0;

  private constructor(options: WorldOptions, journals: string) {
    const { database, time, counts, promises, settleBeforeEndMs } = options;
    this.database = database;
    this.counts = counts;
    this.#time = time;
    this.#promises = promises;
    this.#journals = journals;
    this.#office = new Replica('office', database.url, this.#hub, () => time.nowMs);
    this.network = new Network(() => this.#replicas, {
      responded: ({ message }) => {
        if (message?.$case === 'opened') promises.heard(message.value.sessionId, time.nowMs);
      },
      confirmed: (sessionId) => promises.heard(sessionId, time.nowMs),
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

  /** Ends everything, whatever it is doing. */
  async destroy(): Promise<void> {
    for (const ingress of this.#ingresses) ingress.ended();
    await quiet();
    for (const replica of [...this.#replicas, this.#office]) replica.close();
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

  /** Does something at the ledger where payments come in. */
  atOffice<T>(work: (office: Replica) => T): T {
    return asActor(this.#office, () => work(this.#office));
  }

  /** Notes that a promise was broken, where it cannot be thrown. */
  fail(what: string, error: unknown): void {
    this.#failure ??=
      error instanceof Disagreement
        ? error
        : new Disagreement(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** Lets everything happen that happens on its own at this moment. */
  async settle(): Promise<void> {
    await quiet();
    for (let round = 0; this.network.flow(); round += 1) {
      if (round > MAX_ROUNDS) throw new Disagreement('messages bring about further ones without an end');
      await quiet();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  wait(ms: number): Promise<void> {
    return this.#time.advance(ms, () => this.settle());
  }

  /** Waits for something that takes time, but not for ever. */
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
    replica.startSweeping(() => this.#promises.swept(this.nowMs));
    return replica;
  }

  /** Starts a process in the place of a ledger that is dead. */
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

  /** The next commit of a replica fails, and the replica with it where it is to die. */
  failNextCommit(index: number, fault: CommitFault, dies: boolean): void {
    const replica = this.replica(index);
    replica.link.failNextCommit(fault, () => {
      count(this.counts, 'failed commit');
      if (dies) this.killReplica(replica);
    });
  }

  /** Stops ingresses by their own will, as long as they take. @returns how long that was */
  async drain(ingresses: readonly Ingress[], graceMs: number): Promise<number> {
    const sinceMs = this.nowMs;
    let left = ingresses.length;
    const stopped = () => {
      left -= 1;
    };
    for (const ingress of ingresses)
      ingress.stop(graceMs).then(stopped, (error: unknown) => this.fail('a stop', error));
    const inTime = await this.until(() => left === 0, 50, graceMs + 5_000);
    if (!inTime) throw new Disagreement('an ingress does not stop');
    return this.nowMs - sinceMs;
  }
}
