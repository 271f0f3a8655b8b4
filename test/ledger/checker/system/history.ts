import { status } from '@grpc/grpc-js';
import { raiseEpoch } from '@tollgate/ledger/store/meta';
import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import type { HistoryDatabase } from '../support/database.ts';
import { disk } from '../support/immediate-files.ts';
import { HEARTBEAT_INTERVAL_MS, KEEP_MS, TIMES } from '../support/replica.ts';
import { type Counts, count, Violation } from '../support/violation.ts';
import type { VirtualTime } from '../support/virtual-time.ts';
import { Clients } from './clients.ts';
import { SystemInvariants } from './invariants.ts';
import { Payments } from './payments.ts';
import { probe } from './probe.ts';
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { ACCOUNTS, type History, type Step } from './steps.ts';
import { allClosed, type LedgerView, readView } from './view.ts';
import { World } from './world.ts';

/** A failover may lose commits of this time: ingresses keep acknowledged records for longer. */
const OLDEST_SNAPSHOT_MS = 10 * 60_000;

/** How long a graceful stop may take. */
const GRACE_MS = 10_000;

/** After this time charges have been sent to the ledger. */
const BATCH_MS = 20;

/** After this time ingresses have noticed another database. */
const KNOWN_MS = 3_000;

/** Requests whose charges are sent to the ledger in one batch. */
const REQUESTS_OF_BATCH = 3;

/** Requests whose records, if long, need more than one journal segment. */
const REQUESTS_OF_SEGMENTS = 16;

/**
 * One history of the system: ingresses with the real wallet and journal, ledgers with the real handlers on a real
 * Postgres, and a simulated network between them.
 */
export class SystemHistory {
  readonly #history: History;
  readonly #world: World;
  readonly #invariants: SystemInvariants;
  readonly #clients: Clients;
  readonly #payments: Payments;
  #snapshot: Snapshot | undefined;

  private constructor(history: History, world: World, invariants: SystemInvariants) {
    this.#history = history;
    this.#world = world;
    this.#invariants = invariants;
    this.#clients = new Clients(world, invariants, history.caps, history.longRecords);
    this.#payments = new Payments(world, this.#clients);
  }

  /** @throws Violation if an invariant is broken */
  static async run(
    history: History,
    {
      database,
      time,
      counts,
      folder,
    }: { database: HistoryDatabase; time: VirtualTime; counts: Counts; folder: string },
  ): Promise<void> {
    await database.clear();
    const invariants = new SystemInvariants(time.nowMs, history.caps);
    const { settleBeforeEndMs } = history;
    disk.readMs = history.readMs;
    const world = await World.create({ database, time, counts, invariants, folder, settleBeforeEndMs });
    try {
      await new SystemHistory(history, world, invariants).#run();
      counts.histories += 1;
    } finally {
      await world.destroy();
    }
  }

  async #run(): Promise<void> {
    for (let index = 0; index < ACCOUNTS; index += 1) {
      this.#clients.addAccount();
      await this.#payments.make(index, this.#history.funds);
    }
    for (const ingress of this.#world.ingresses) ingress.start();
    await this.#world.settle();
    for (const step of this.#history.steps) {
      count(this.#world.counts, step.kind);
      await this.#take(step);
      await this.#check();
      this.#world.counts.steps += 1;
    }
    await this.#end();
  }

  async #check(): Promise<LedgerView> {
    const view = await readView(this.#world.database.observer);
    this.#invariants.check(view, this.#clients.requests, this.#world.nowMs);
    return view;
  }

  async #take(step: Step): Promise<void> {
    const world = this.#world;
    switch (step.kind) {
      case 'request':
        return this.#request(step);
      case 'finish':
        return this.#finish(step);
      case 'wait':
        return world.wait(step.ms);
      case 'deposit':
        if (step.amount !== 0n) await this.#payments.make(step.account, step.amount);
        return;
      case 'kill_ingress':
        return this.#killIngress(step);
      case 'stop_amid_replay':
        return this.#stopAmidReplay(step.ingress);
      case 'change_caps':
        this.#clients.changeCaps(step.caps);
        return;
      case 'set_clock':
        return this.#setClock(step);
      case 'start_ingress':
        world.ingress(step.ingress).start();
        return world.settle();
      case 'stop_ingress':
        return this.#stopIngress(step.ingress);
      case 'pause':
        world.ingress(step.ingress).pause(step.suspended);
        return;
      case 'resume':
        // Nothing is handled yet: requests may arrive before the first timer and the first message.
        world.ingress(step.ingress).resume();
        return;
      case 'sleep':
        return this.#sleep(step);
      case 'cut':
        return this.#cut(step);
      case 'kill_ledger':
        world.killReplica(world.replica(step.replica));
        return world.settle();
      case 'start_ledger':
        world.startReplica(step.replica);
        return;
      case 'fail_commit':
        return this.#failCommit(step);
      case 'outage':
        return this.#outage(step);
      case 'hold_messages':
        world.network.held = true;
        return;
      case 'flow':
        world.network.held = false;
        world.network.burst = step.burst;
        return world.settle();
      case 'deliver':
        world.network.deliver(step.pick, step.twice);
        return world.settle();
      case 'lose':
        world.network.lose(step.pick);
        return;
      case 'snapshot':
        this.#snapshot = await this.#takeSnapshot();
        return;
      case 'fail_over':
        if (step.charges === 'missing') await this.#chargeAfterSnapshot();
        await this.#failOver(step.raised);
        if (step.charges === 'lost') await this.#loseCharges();
        return;
      default:
        return step satisfies never;
    }
  }

  async #request(step: Extract<Step, { kind: 'request' }>): Promise<void> {
    const { ingress, account, max, leastPercent, capped, leaves } = step;
    const request = this.#clients.ask(ingress, account, { max, min: (max * leastPercent) / 100n, capped });
    await this.#world.settle();
    if (request?.state !== 'waiting') return;
    count(this.#world.counts, 'wait for credit');
    if (!leaves) return;
    this.#clients.leave(request);
    await this.#world.settle();
  }

  async #cut({ ingress: index, code, losesBatch }: Extract<Step, { kind: 'cut' }>): Promise<void> {
    const { network } = this.#world;
    const { held } = network;
    if (losesBatch) {
      await this.#chargeUnheard(index, REQUESTS_OF_BATCH);
      await this.#world.wait(BATCH_MS);
    }
    const { actor } = this.#world.ingress(index);
    if (actor !== undefined) network.cut(actor, code, losesBatch);
    network.held = held;
    await this.#world.settle();
  }

  async #setClock({ ingress, account, max, aheadMs }: Extract<Step, { kind: 'set_clock' }>): Promise<void> {
    const { running, awake } = this.#world.ingress(ingress);
    if (running && !awake) return;
    this.#clients.setClock(ingress, aheadMs);
    await this.#world.wait(HEARTBEAT_INTERVAL_MS + 1);
    this.#clients.ask(ingress, account, { max, min: max, capped: false });
    await this.#world.settle();
  }

  async #finish({ pick, costPercent, released }: Extract<Step, { kind: 'finish' }>): Promise<void> {
    const open = this.#clients.open();
    const request = open[pick % open.length];
    if (request === undefined) return;
    if (released) this.#clients.release(request);
    else this.#clients.end(request, costPercent);
    await this.#world.settle();
  }

  async #sleep({ ingress, account, max, ms, suspended }: Extract<Step, { kind: 'sleep' }>): Promise<void> {
    const world = this.#world;
    const wish = { max, min: max, capped: false };
    const first = this.#clients.ask(ingress, account, wish);
    await world.until(() => first?.state !== 'waiting', 50, 5_000);
    if (first?.state === 'open') this.#clients.end(first, 50n);
    await world.settle();
    world.ingress(ingress).pause(suspended);
    await world.wait(ms);
    await this.#check();
    world.ingress(ingress).resume();
    this.#clients.ask(ingress, account, wish);
    await world.settle();
  }

  async #killIngress({
    ingress: index,
    journal,
    pick,
  }: Omit<Extract<Step, { kind: 'kill_ingress' }>, 'kind'>): Promise<void> {
    const ingress = this.#world.ingress(index);
    if (!ingress.running) return;
    const killed = await ingress.kill();
    if (killed !== undefined) this.#world.network.cut(killed);
    this.#clients.cutOff(index);
    const lost = await ingress.lose(journal, pick);
    if (lost !== undefined) this.#clients.torn(lost);
    if (journal !== 'intact') count(this.#world.counts, `journal ${journal}`);
    await this.#world.settle();
  }

  async #stopIngress(index: number): Promise<void> {
    const ingress = this.#world.ingress(index);
    if (!ingress.awake) return;
    for (const request of this.#clients.open(index)) this.#clients.end(request, 50n);
    const tookMs = await this.#world.drain([ingress], GRACE_MS);
    // The ingress may not have noticed yet that a new database lacks charges that it has seen posted.
    if (tookMs < GRACE_MS && !this.#clients.failedOver) {
      count(this.#world.counts, 'stop in time');
      this.#invariants.checkStopped(await this.#check(), this.#clients.requests, index);
    }
    if (ingress.actor !== undefined) this.#world.network.cut(ingress.actor);
    ingress.ended();
    this.#clients.cutOff(index);
    await this.#world.settle();
  }

  /**
   * An ingress is killed while its messages are held back, which leaves charges in its journal, in several segments if their
   * records are long. It is restarted, and stopped as soon as its messages are delivered.
   */
  async #stopAmidReplay(index: number): Promise<void> {
    const { network } = this.#world;
    const ingress = this.#world.ingress(index);
    const { held } = network;
    await this.#chargeUnheard(index, REQUESTS_OF_SEGMENTS);
    await this.#killIngress({ ingress: index, journal: 'intact', pick: 0 });
    ingress.start();
    await this.#world.wait(300);
    network.held = held;
    await this.#stopIngress(index);
  }

  /** Requests arrive at an ingress and end one by one while messages are held back: their charges are not settled. */
  async #chargeUnheard(index: number, requests: number): Promise<void> {
    for (let requested = 0; requested < requests; requested += 1) {
      this.#clients.ask(index, 0, { max: 2n, min: 2n, capped: false });
      await this.#world.settle();
    }
    this.#world.network.held = true;
    for (const request of this.#clients.open(index)) {
      this.#clients.end(request, 50n);
      await this.#world.settle();
    }
  }

  /** A ledger's next commit fails, or that of each ledger for a fault of the database; a single charge is sent then. */
  async #failCommit({ replica, phase, dies, sqlState }: Extract<Step, { kind: 'fail_commit' }>): Promise<void> {
    const world = this.#world;
    if (sqlState === undefined) return world.failNextCommit(replica, phase, dies);
    for (const index of world.replicas.keys()) world.failNextCommit(index, { sqlState }, dies);
    const [request] = this.#clients.open();
    if (request !== undefined) this.#clients.end(request, 50n);
    await world.wait(BATCH_MS);
  }

  /** All ledgers are down for a time. */
  async #outage({ ms, sweeperFirst }: Extract<Step, { kind: 'outage' }>): Promise<void> {
    const { network } = this.#world;
    this.#world.killReplicas();
    await this.#world.wait(ms);
    this.#world.startReplicas();
    if (sweeperFirst) {
      const { held } = network;
      network.held = true;
      await this.#world.wait(HEARTBEAT_INTERVAL_MS + 1);
      network.held = held;
    }
    await this.#world.settle();
  }

  async #takeSnapshot(): Promise<Snapshot> {
    const { observer, tables } = this.#world.database;
    const text = await takeSnapshot(observer, tables);
    return { text, takenAtMs: this.#world.nowMs, lastSweepMs: this.#invariants.lastSweepMs };
  }

  /** All open and some new requests end and are charged in a database that is then replaced by an older one. */
  async #chargeAfterSnapshot(): Promise<void> {
    for (const index of this.#world.ingresses.keys()) this.#clients.ask(index, 0, { max: 2n, min: 2n, capped: false });
    await this.#world.settle();
    this.#snapshot = await this.#takeSnapshot();
    for (const request of this.#clients.open()) this.#clients.end(request, 50n);
    await this.#world.wait(BATCH_MS);
  }

  /** What was open before a failover ends once the ingresses have noticed it, and the messages with its charges are lost. */
  async #loseCharges(): Promise<void> {
    await this.#world.wait(KNOWN_MS);
    for (const index of this.#world.ingresses.keys())
      await this.#cut({ kind: 'cut', ingress: index, code: status.UNAVAILABLE, losesBatch: true });
  }

  /** The database is replaced by a standby, lagging or not, or by a backup, with the epoch raised. */
  async #failOver(raised: boolean): Promise<void> {
    const world = this.#world;
    world.killReplicas();
    await world.settle();
    const lagging = this.#snapshot;
    this.#snapshot = undefined;
    const isFit = lagging !== undefined && world.nowMs - lagging.takenAtMs <= OLDEST_SNAPSHOT_MS;
    const snapshot = isFit ? lagging : await this.#takeSnapshot();
    count(world.counts, `${isFit ? 'lagging ' : ''}${raised ? 'backup' : 'standby'}`);
    const { observer, tables } = world.database;
    const before = await readView(observer);
    await restoreSnapshot(observer, tables, snapshot.text);
    const restored = await readView(observer);
    this.#invariants.recordFailover(before, restored, this.#clients.requests, {
      lastSweepMs: snapshot.lastSweepMs,
      nowMs: world.nowMs,
    });
    this.#clients.failedOver = true;
    world.startReplicas();
    if (raised) {
      await world.atPaymentLedger((paymentLedger) => raiseEpoch(paymentLedger.faultyPool.pool));
      await world.wait(2);
    }
    await this.#payments.makeAgain();
    await world.settle();
  }

  /** All faults end: everything delivered is charged, and all remaining credit is available to every ingress. */
  async #end(): Promise<void> {
    const world = this.#world;
    world.network.held = false;
    for (const replica of world.replicas) replica.faultyPool.cancelFault();
    world.startReplicas();
    for (const [index, ingress] of world.ingresses.entries()) {
      count(world.counts, `journal segments ${Math.min(4, await ingress.segments())}`);
      ingress.resume();
      this.#clients.setClock(index, 0);
      ingress.start();
    }
    await world.wait(5_000);
    for (const request of this.#clients.open()) this.#clients.end(request, 50n);
    await world.wait(35_000);
    await probe(world, this.#clients, await this.#check(), this.#clients.caps);
    await world.drain(world.ingresses, GRACE_MS);
    let view = await this.#check();
    if (!allClosed(view)) {
      count(world.counts, 'sessions left to expire');
      await world.wait(2 * KEEP_MS + TIMES.SESSION_TTL_MS);
      view = await this.#check();
      if (!allClosed(view)) throw new Violation('a session does not end');
    }
    this.#invariants.checkEnd(view, this.#clients.requests, this.#clients.paidIn);
    const { observer } = world.database;
    const { rows } = await observer.query('SELECT FROM ledger.ceilings WHERE leased <> 0');
    if (rows.length > 0) throw new Violation('parts of a cap are still leased, but every session has ended');
    const broken = await brokenInvariants(observer);
    if (broken.length > 0) throw new Violation(`invariants are broken: ${broken.join('; ')}`);
  }
}
