import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@tollgate/common/ids';
import { type Charge, ChargeStatus, DepositKind } from '@tollgate/proto/ledger';
import type { HoldResult } from '../../../../services/ingress/src/credit/types.ts';
import { raiseEpoch } from '../../../../services/ledger/src/store/raise-epoch.ts';
import { brokenInvariants } from '../../../../services/ledger/src/testing/check-invariants.ts';
import type { HistoryDatabase } from '../support/database.ts';
import { type Counts, count, Disagreement } from '../support/disagreement.ts';
import { quiet } from '../support/quiet.ts';
import { RecallHub } from '../support/recall-hub.ts';
import { KEEP_MS, Replica, TIMES } from '../support/replica.ts';
import { callUnary } from '../support/unary-call.ts';
import { asActor, type VirtualTime } from '../support/virtual-time.ts';
import { Ingress } from './ingress.ts';
import { Network } from './network.ts';
import { Promises } from './promises.ts';
import { payable, type Request } from './requests.ts';
import { restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { ACCOUNTS, type History, INGRESSES, REPLICAS, type Step } from './steps.ts';
import { type LedgerView, readView } from './view.ts';

/** A failover may lack commits of this time: the ingresses keep acknowledged records for longer. */
const OLDEST_SNAPSHOT_MS = 10 * 60_000;

/** Rounds without an end in which messages only bring about further ones. */
const MOST_ROUNDS = 5_000;

interface Payment {
  account: string;
  amount: bigint;
  key: string;
}

/**
 * One history of the whole: ingresses with the real credit desk and journal, ledgers with the real calls on a real
 * Postgres, and between them a network that delivers what the history says, when it says.
 */
export class SystemHistory {
  readonly #database: HistoryDatabase;
  readonly #time: VirtualTime;
  readonly #counts: Counts;
  readonly #hub = new RecallHub();
  readonly #replicas: Replica[] = [];
  /** Where payments come in: a ledger to which nothing happens. */
  readonly #office: Replica;
  readonly #network: Network;
  readonly #ingresses: Ingress[] = [];
  readonly #accounts: string[] = [];
  readonly #requests = new Map<string, Request>();
  readonly #payments: Payment[] = [];
  readonly #paidIn = new Map<string, bigint>();
  readonly #promises: Promises;
  #failure: Error | undefined;
  #snapshot: { text: string; takenAtMs: number; lastSweepMs: number | undefined } | undefined;
  #failedOver = false;
  #started = 0;

  constructor(database: HistoryDatabase, time: VirtualTime, counts: Counts) {
    this.#database = database;
    this.#time = time;
    this.#counts = counts;
    this.#promises = new Promises(time.nowMs);
    this.#office = new Replica('office', database.url, this.#hub, () => time.nowMs);
    this.#network = new Network(() => this.#replicas, {
      answered: ({ message }) => {
        if (message?.$case === 'opened') this.#promises.heard(message.value.sessionId, this.#time.nowMs);
      },
      confirmed: (sessionId) => this.#promises.heard(sessionId, this.#time.nowMs),
      settled: ({ outcomes }) => {
        for (const outcome of outcomes) count(this.#counts, `outcome ${outcome}`);
      },
    });
  }

  /** @throws Disagreement where a promise is broken */
  async run({ funds, steps, settleBeforeEndMs }: History, folder: string): Promise<void> {
    await this.#database.clear();
    const journals = await mkdtemp(join(folder, 'journals-'));
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas.push(this.#startReplica());
    for (let index = 0; index < INGRESSES; index += 1) {
      const connect = (actor: Parameters<Network['client']>[0]) => this.#network.client(actor);
      this.#ingresses.push(
        new Ingress(`ingress-${index}`, join(journals, `${index}`), this.#time, connect, settleBeforeEndMs),
      );
    }
    try {
      for (let index = 0; index < ACCOUNTS; index += 1) {
        this.#accounts.push(newId());
        await this.#deposit(index, funds);
      }
      for (const ingress of this.#ingresses) ingress.start();
      await this.#settle();
      for (const step of steps) {
        count(this.#counts, step.kind);
        await this.#take(step);
        await this.#check();
        this.#counts.steps += 1;
      }
      await this.#end();
      this.#counts.histories += 1;
    } finally {
      for (const ingress of this.#ingresses) ingress.ended();
      await quiet();
      for (const replica of [...this.#replicas, this.#office]) await replica.close();
      await rm(journals, { recursive: true, force: true });
    }
  }

  #startReplica(): Replica {
    this.#started += 1;
    const replica = new Replica(`ledger-${this.#started}`, this.#database.url, this.#hub, () => this.#time.nowMs);
    replica.startSweeping(() => this.#promises.swept(this.#time.nowMs));
    return replica;
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'request':
        return this.#request(step);
      case 'finish':
        return this.#finish(step);
      case 'wait':
        return this.#wait(step.ms);
      case 'deposit':
        if (step.amount !== 0n) await this.#deposit(step.account, step.amount);
        return;
      case 'kill_ingress':
        return this.#killIngress(step.ingress, step.torn);
      case 'start_ingress':
        this.#ingress(step.ingress).start();
        return this.#settle();
      case 'stop_ingress':
        return this.#stopIngress(step.ingress);
      case 'pause':
        this.#ingress(step.ingress).pause(step.suspended);
        return;
      case 'resume':
        // Nothing is handled yet: requests may come before the first timer and the first message.
        this.#ingress(step.ingress).resume();
        return;
      case 'cut': {
        const { actor } = this.#ingress(step.ingress);
        if (actor !== undefined) this.#network.cut(actor);
        return this.#settle();
      }
      case 'kill_ledger':
        this.#killReplica(this.#replica(step.replica));
        return this.#settle();
      case 'start_ledger':
        if (this.#replica(step.replica).dead) this.#replicas[step.replica] = this.#startReplica();
        return;
      case 'fail_commit':
        return this.#failCommit(step);
      case 'outage':
        return this.#outage(step);
      case 'hold_messages':
        this.#network.held = true;
        return;
      case 'flow':
        this.#network.held = false;
        this.#network.burst = step.burst;
        return this.#settle();
      case 'deliver':
        this.#network.deliver(step.pick, step.twice);
        return this.#settle();
      case 'lose':
        this.#network.lose(step.pick);
        return;
      case 'snapshot':
        this.#snapshot = {
          text: await takeSnapshot(this.#database.observer, this.#database.tables),
          takenAtMs: this.#time.nowMs,
          lastSweepMs: this.#promises.lastSweepMs,
        };
        return;
      case 'fail_over':
        return this.#failOver(step.raised);
      default:
        return step satisfies never;
    }
  }

  #ingress(index: number): Ingress {
    const found = this.#ingresses[index];
    if (found === undefined) throw new Error(`there is no ingress ${index}`);
    return found;
  }

  #replica(index: number): Replica {
    const found = this.#replicas[index];
    if (found === undefined) throw new Error(`there is no ledger ${index}`);
    return found;
  }

  #account(index: number): string {
    const found = this.#accounts[index];
    if (found === undefined) throw new Error(`there is no account ${index}`);
    return found;
  }

  /** Lets everything happen that happens by itself at this moment. */
  async #settle(): Promise<void> {
    await quiet();
    for (let round = 0; this.#network.flow(); round += 1) {
      if (round > MOST_ROUNDS) throw new Disagreement('messages bring about further ones without an end');
      await quiet();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #wait(ms: number): Promise<void> {
    return this.#time.advance(ms, () => this.#settle());
  }

  async #check(): Promise<LedgerView> {
    const view = await readView(this.#database.observer);
    this.#promises.check(view, this.#requests, this.#time.nowMs);
    return view;
  }

  /** A client's request comes in. */
  async #request(step: Extract<Step, { kind: 'request' }>): Promise<void> {
    const request = this.#ask(
      step.ingress,
      this.#account(step.account),
      step.most,
      (step.most * step.leastPercent) / 100n,
    );
    await this.#settle();
    if (request !== undefined && request.state === 'waiting') count(this.#counts, 'wait for credit');
  }

  #ask(index: number, account: string, most: bigint, leastNanos: bigint): Request | undefined {
    const ingress = this.#ingress(index);
    if (!ingress.awake) return undefined;
    const request: Request = {
      id: newId(),
      account,
      startedAtMs: this.#time.nowMs,
      most,
      least: leastNanos,
      ingress: index,
      state: 'waiting',
      hold: undefined,
      cost: 0n,
      leastBalance: this.#wholeBalance(account),
    };
    this.#requests.set(request.id, request);
    const signal = new AbortController().signal;
    const asked = { accountId: account, maxNanos: most, minNanos: leastNanos, signal };
    const result = ingress.use((desk) => desk.hold(asked));
    if (result instanceof Promise) {
      result
        .then((answer) => this.#answered(request, answer))
        .catch((error: unknown) => {
          this.#failure = failed('a hold', error);
        });
    } else if (result !== undefined) this.#answered(request, result);
    return request;
  }

  #answered(request: Request, result: HoldResult): void {
    count(this.#counts, `hold ${result.kind}`);
    if (result.kind !== 'held') {
      request.state = 'gone';
      if (result.kind !== 'insufficient' || this.#failedOver || request.leastBalance < request.least) return;
      this.#failure = new Disagreement(
        `told that the balance is ${result.balanceNanos} though it was at least ${request.leastBalance}, and ${request.least} was needed`,
      );
      return;
    }
    // The client may have been cut off meanwhile.
    if (request.state === 'gone') return;
    request.state = 'open';
    request.hold = result.hold;
    this.#promises.checkHold(result.hold.sessionId);
    if (result.hold.nanos >= request.least && result.hold.nanos <= request.most) return;
    this.#failure = new Disagreement(`held ${result.hold.nanos}, of ${request.least} to ${request.most}`);
  }

  /** What was paid in, less all that was delivered. */
  #wholeBalance(account: string): bigint {
    let balance = this.#paidIn.get(account) ?? 0n;
    for (const request of this.#requests.values()) {
      if (request.account === account && request.state !== 'open' && request.state !== 'waiting')
        balance -= payable(request);
    }
    return balance;
  }

  /** Notes for those who wait that the balance is lower now. */
  #noteBalance(account: string): void {
    const balance = this.#wholeBalance(account);
    for (const request of this.#requests.values()) {
      if (request.account !== account || request.state !== 'waiting') continue;
      if (balance < request.leastBalance) request.leastBalance = balance;
    }
  }

  /** An open request ends. */
  async #finish({ pick, costPercent, released }: Extract<Step, { kind: 'finish' }>): Promise<void> {
    const open = [...this.#requests.values()].filter(
      ({ state, ingress }) => state === 'open' && this.#ingress(ingress).awake,
    );
    const request = open[pick % open.length];
    if (request !== undefined) this.#endRequest(request, costPercent, released);
    await this.#settle();
  }

  #endRequest(request: Request, costPercent: bigint, released: boolean): void {
    const { hold } = request;
    if (hold === undefined) return;
    if (released) {
      request.state = 'gone';
      request.cost = 0n;
      this.#ingress(request.ingress).use(() => hold.release());
      return;
    }
    request.state = 'ending';
    request.cost = (hold.nanos * costPercent) / 100n;
    this.#noteBalance(request.account);
    const charged = this.#ingress(request.ingress).use(() => hold.charge(recordOf(request)));
    charged?.then(
      () => {
        if (request.state === 'ending') request.state = 'ended';
      },
      (error: unknown) => {
        this.#failure = failed('a charge', error);
      },
    );
  }

  async #deposit(index: number, amount: bigint): Promise<void> {
    const payment = { account: this.#account(index), amount, key: newId() };
    this.#paidIn.set(payment.account, (this.#paidIn.get(payment.account) ?? 0n) + amount);
    this.#noteBalance(payment.account);
    if (await this.#pay(payment)) this.#payments.push(payment);
    else this.#paidIn.set(payment.account, (this.#paidIn.get(payment.account) ?? 0n) - amount);
  }

  /** Pays in or takes back. @returns false where that is refused */
  async #pay({ account, amount, key }: Payment): Promise<boolean> {
    try {
      const paid = asActor(this.#office, () =>
        callUnary(this.#office.calls.implementation.deposit, {
          accountId: account,
          kind: amount > 0n ? DepositKind.DEPOSIT : DepositKind.DISPUTE,
          amountNanos: amount,
          idempotencyKey: key,
          reason: 'history',
        }),
      );
      let done = false;
      const settled = () => {
        done = true;
      };
      paid.then(settled, settled);
      await this.#settle();
      while (!done) await this.#wait(10);
      await paid;
      return true;
    } catch (error) {
      if (error instanceof Disagreement) throw error;
      count(this.#counts, 'deposit refused');
      return false;
    }
  }

  async #killIngress(index: number, torn: boolean): Promise<void> {
    const ingress = this.#ingress(index);
    if (!ingress.running) return;
    const killed = await ingress.kill();
    if (killed !== undefined) this.#network.cut(killed);
    for (const request of this.#requests.values()) if (request.ingress === index) cutOff(request);
    const tornId = torn ? await ingress.tear() : undefined;
    const request = tornId === undefined ? undefined : this.#requests.get(tornId);
    if (request !== undefined) request.state = 'uncertain';
    await this.#settle();
  }

  async #stopIngress(index: number): Promise<void> {
    const ingress = this.#ingress(index);
    if (!ingress.awake) return;
    for (const request of [...this.#requests.values()]) {
      if (request.ingress === index && request.state === 'open') this.#endRequest(request, 50n, false);
    }
    await this.#drain([ingress], 5_000);
    if (ingress.actor !== undefined) this.#network.cut(ingress.actor);
    ingress.ended();
    for (const request of this.#requests.values()) if (request.ingress === index) cutOff(request);
    await this.#settle();
  }

  /** Stops ingresses, as long as they take. */
  async #drain(ingresses: readonly Ingress[], graceMs: number): Promise<void> {
    let left = ingresses.length;
    for (const ingress of ingresses) {
      ingress.stop(graceMs).then(
        () => {
          left -= 1;
        },
        (error: unknown) => {
          this.#failure = failed('a stop', error);
        },
      );
    }
    await this.#settle();
    for (let waited = 0; left > 0; waited += 50) {
      if (waited > graceMs + 5_000) throw new Disagreement('an ingress does not stop');
      await this.#wait(50);
    }
  }

  #killReplica(replica: Replica): void {
    if (replica.dead) return;
    replica.kill();
    this.#network.cut(replica);
  }

  /** The next commit of a replica fails. */
  #failCommit({ replica: index, phase, dies }: Extract<Step, { kind: 'fail_commit' }>): void {
    const replica = this.#replica(index);
    replica.link.failNextCommit(phase, () => {
      count(this.#counts, 'failed commit');
      if (dies) this.#killReplica(replica);
    });
  }

  /** All ledgers are gone for a time. */
  async #outage({ ms, sweeperFirst }: Extract<Step, { kind: 'outage' }>): Promise<void> {
    for (const replica of this.#replicas) this.#killReplica(replica);
    await this.#wait(ms);
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas[index] = this.#startReplica();
    if (!sweeperFirst) return this.#settle();
    const held = this.#network.held;
    this.#network.held = true;
    await this.#wait(TIMES.HEARTBEAT_INTERVAL_MS + 1);
    this.#network.held = held;
    return this.#settle();
  }

  /** The database is replaced by a standby that lags behind, or, with the epoch raised, by a backup. */
  async #failOver(raised: boolean): Promise<void> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined || this.#time.nowMs - snapshot.takenAtMs > OLDEST_SNAPSHOT_MS) return;
    count(this.#counts, raised ? 'restored backup' : 'failed over');
    for (const replica of this.#replicas) this.#killReplica(replica);
    await this.#settle();
    const before = await readView(this.#database.observer);
    await restoreSnapshot(this.#database.observer, this.#database.tables, snapshot.text);
    this.#promises.databaseReplaced(before.sessions.keys(), snapshot.lastSweepMs);
    this.#failedOver = true;
    this.#snapshot = undefined;
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas[index] = this.#startReplica();
    if (raised) {
      await raiseEpoch(this.#replica(0).link.pool);
      await this.#wait(2);
    }
    // Whoever pays says again what was not confirmed by this database.
    for (const payment of this.#payments) await this.#pay(payment);
    await this.#settle();
  }

  /** Everything is well again: what was delivered is charged, and what is left is everybody's. */
  async #end(): Promise<void> {
    this.#network.held = false;
    for (const ingress of this.#ingresses) ingress.resume();
    for (let index = 0; index < REPLICAS; index += 1) {
      this.#replica(index).link.failNothing();
      if (this.#replica(index).dead) this.#replicas[index] = this.#startReplica();
    }
    for (const ingress of this.#ingresses) ingress.start();
    await this.#wait(5_000);
    for (const request of this.#requests.values()) if (request.state === 'open') this.#endRequest(request, 50n, false);
    await this.#wait(35_000);
    await this.#check();
    await this.#drain(this.#ingresses, 10_000);
    let view = await this.#check();
    const isDone = () => [...view.sessions.values()].every(({ state }) => state === 'closed');
    if (!isDone()) {
      count(this.#counts, 'sessions left to expire');
      await this.#wait(2 * KEEP_MS + TIMES.SESSION_TTL_MS);
      view = await this.#check();
      if (!isDone()) throw new Disagreement('a session does not end');
    }
    this.#promises.checkEnd(view, this.#requests, this.#paidIn);
    const broken = await brokenInvariants(this.#database.observer);
    if (broken.length > 0) throw new Disagreement(`invariants are broken: ${broken.join('; ')}`);
  }
}

function failed(what: string, error: unknown): Disagreement {
  if (error instanceof Disagreement) return error;
  return new Disagreement(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** The process that served a request is gone. */
function cutOff(request: Request): void {
  if (request.state === 'waiting' || request.state === 'open') request.state = 'gone';
  else if (request.state === 'ending') request.state = 'uncertain';
}

function recordOf({
  id,
  account,
  cost,
  startedAtMs,
}: Request): Omit<Charge, 'sessionId' | 'holdNanos' | 'chargedNanos' | 'settledAtMs' | 'caps'> {
  return {
    requestId: id,
    accountId: account,
    keyId: '0198a000-0000-7000-8000-000000000001',
    keyName: 'a key',
    traceId: '0123456789abcdef0123456789abcdef',
    model: 'gpt-test',
    provider: 'simulated',
    deployment: 'simulated-1',
    protocolIn: 'openai-chat',
    protocolOut: 'openai-chat',
    streamed: true,
    status: ChargeStatus.COMPLETED,
    finishReason: 'stop',
    startedAtMs: BigInt(startedAtMs),
    firstTokenMs: 12,
    durationMs: 345,
    retries: 0,
    usageEstimated: false,
    lines: [{ bucket: 'output', quantity: cost, rateNanosPerMillion: 1_000_000n, amountNanos: cost }],
    priceVersion: 'v1',
    discountPpm: 0,
    costNanos: cost,
    trace: undefined,
  };
}
