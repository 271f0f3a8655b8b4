import type { Charge } from '@tollgate/proto/ledger';
import type { HistoryDatabase } from '../support/database.ts';
import { waitUntilIdle } from '../support/database-turns.ts';
import type { CommitFault } from '../support/faulty-pool.ts';
import { RecallHub } from '../support/recall-hub.ts';
import { KEEP_MS, Replica, TIMES } from '../support/replica.ts';
import { type Counts, count, Violation } from '../support/violation.ts';
import type { VirtualTime } from '../support/virtual-time.ts';
import { Caller } from './caller.ts';
import { startOf } from './cap-model.ts';
import { type CapName, KEYS, type Period, PLACES, RUNS } from './ceilings.ts';
import { difference, figuresOf, figuresOfModel, finalFault } from './compare.ts';
import { LedgerModel } from './model.ts';
import { type NeedOf, type Operation, type Result, show } from './operations.ts';
import { changed, Ids, recordOf } from './records.ts';
import {
  ACCOUNTS,
  type CallStep,
  type History,
  type Mishap,
  REPLICAS,
  type RecordStep,
  SESSIONS,
  type Step,
} from './steps.ts';

/** Time advances in steps of this while the ledger waits. */
const WAIT_STEP_MS = 10;
/** Maximum time of a response. */
const MAX_RESPONSE_MS = 20_000;
/** Interval of the sweeper's rounds: less than what counts as a gap. */
const SWEEP_INTERVAL_MS = 10_000;

/** One history of calls: the real ledger beside the model. Every response, and every figure after it, must agree. */
export class CallHistory {
  readonly #database: HistoryDatabase;
  readonly #time: VirtualTime;
  readonly #counts: Counts;
  readonly #hub = new RecallHub();
  readonly #ids = new Ids();
  readonly #replicas: { replica: Replica; caller: Caller }[] = [];
  readonly #accounts: string[] = [];
  readonly #sessions: string[] = [];
  readonly #deposits: Extract<Operation, { kind: 'deposit' }>[] = [];
  readonly #acquires: Extract<Operation, { kind: 'acquire' }>[] = [];
  readonly #returns: Extract<Operation, { kind: 'return' }>[] = [];
  readonly #records: { charge: Charge; step: RecordStep }[] = [];
  #model = new LedgerModel({ gapMs: TIMES.SESSION_TTL_MS, keepMs: KEEP_MS, maxAgeMs: TIMES.CHARGE_MAX_AGE_MS });
  /** The limits of nodes' caps that an ingress knows, by account and node. */
  readonly #limits = new Map<string, Record<Period | 'revision', bigint>>();
  #sequence = 0n;
  #started = 0;

  constructor(database: HistoryDatabase, time: VirtualTime, counts: Counts) {
    this.#database = database;
    this.#time = time;
    this.#counts = counts;
  }

  /** @throws Violation if ledger and model differ */
  async run({ funds, steps }: History): Promise<void> {
    await this.#database.clear();
    for (let index = 0; index < REPLICAS; index += 1) this.#replicas.push(this.#startReplica());
    for (let index = 0; index < ACCOUNTS; index += 1) this.#accounts.push(this.#ids.at(this.#time.nowMs));
    for (let index = 0; index < SESSIONS; index += 1) this.#sessions.push(this.#ids.at(this.#time.nowMs));
    try {
      if (funds > 0n) for (const account of this.#accounts) await this.#call(this.#funding(account, funds), 0);
      for (const step of steps) {
        await this.#take(step);
        this.#counts.steps += 1;
      }
      const fault = await finalFault(this.#database.observer, this.#model);
      if (fault !== undefined) throw new Violation(`at the end ${fault}`);
      this.#counts.histories += 1;
    } finally {
      for (const { replica } of this.#replicas) replica.close();
    }
  }

  #startReplica(): { replica: Replica; caller: Caller } {
    this.#started += 1;
    const replica = new Replica(`ledger-${this.#started}`, this.#database.url, this.#hub, () => this.#time.nowMs);
    return { replica, caller: new Caller(replica) };
  }

  #funding(account: string, amount: bigint): Operation {
    return { kind: 'deposit', account, label: 'deposit', amount, key: 'first', of: undefined, lot: undefined };
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'call': {
        const operation = this.#operationOf(step.call);
        if (operation !== undefined) await this.#call(operation, step.replica, step.mishap);
        return;
      }
      case 'race':
        return this.#race(step.calls);
      case 'wait':
        return this.#time.advance(step.ms, waitUntilIdle);
      case 'sweep':
        for (let round = 0; round < step.rounds; round += 1) {
          await this.#call({ kind: 'sweep' }, step.replica);
          await this.#time.advance(SWEEP_INTERVAL_MS, waitUntilIdle);
        }
        return;
      case 'end_lots':
        return this.#call({ kind: 'end_lots' }, step.replica, step.mishap);
      case 'raise_epoch':
        await this.#call({ kind: 'raise_epoch' }, step.replica);
        // Ids created in the same millisecond count as later.
        return this.#time.advance(2, waitUntilIdle);
      default:
        return step satisfies never;
    }
  }

  /** The operation of a step; undefined for a repetition when there is nothing to repeat. */
  #operationOf(step: CallStep): Operation | undefined {
    switch (step.kind) {
      case 'deposit':
        return this.#deposit(step);
      case 'beat':
        this.#sequence += 1n;
        return { kind: 'beat', session: at(this.#sessions, step.session), sequence: this.#sequence };
      case 'acquire': {
        const { account, session } = this.#placeOf(step);
        this.#sequence += 1n;
        const needs = this.#needsOf(step, account, session);
        const acquire = { kind: 'acquire' as const, session, account, sequence: this.#sequence, needs };
        this.#acquires.push(acquire);
        return acquire;
      }
      case 'acquire_again':
        return this.#acquires.at(-1 - step.back);
      case 'return': {
        const { account, session } = this.#placeOf(step);
        const cap = step.cap && this.#capOf(step.cap.node, step.cap.period);
        const { granted } = this.#model.lease(account, session, cap);
        const given = { kind: 'return' as const, session, account, cap, total: (granted * step.percent) / 100n };
        this.#returns.push(given);
        return given;
      }
      case 'return_again':
        return this.#returns.at(-1 - step.back);
      case 'settle':
        return { kind: 'settle', charges: step.records.map((record) => this.#record(record)) };
      case 'close':
        return { kind: 'close', session: at(this.#sessions, step.by), closed: at(this.#sessions, step.session) };
      default:
        return step satisfies never;
    }
  }

  #capOf(node: string, period: Period): CapName {
    return { node, period, startMs: startOf(period, this.#time.nowMs) };
  }

  #needsOf(step: Extract<CallStep, { kind: 'acquire' }>, account: string, session: string): NeedOf[] {
    const above = PLACES[step.place] ?? [];
    const { limits } = step;
    const run = step.run === undefined ? [] : [RUNS[step.run]];
    if (limits !== undefined) {
      for (const node of [...above, KEYS[step.key], ...run]) {
        const revision = this.#limitsOf(account, node).revision + 1n;
        this.#limits.set(`${account}/${node}`, { ...limits, revision });
      }
    }
    const needed = this.#model.lease(account, session).granted + step.more;
    const ofBalance = { cap: undefined, needed, limit: 0n, revision: 0n };
    const ofNode = (node: string, periods: readonly Period[]) => {
      const limits = this.#limitsOf(account, node);
      return periods.map((period) => {
        const cap = this.#capOf(node, period);
        const needed = this.#model.lease(account, session, cap).granted + step.moreOfCaps;
        return { cap, needed, limit: limits[period], revision: limits.revision };
      });
    };
    const ofCaps = [
      ...above.flatMap((node) => ofNode(node, step.capsAbove)),
      ...ofNode(KEYS[step.key], step.caps),
      ...run.flatMap((node) => ofNode(node, ['session'])),
    ];
    return step.ofBalance || ofCaps.length === 0 ? [ofBalance, ...ofCaps] : ofCaps;
  }

  #limitsOf(account: string, node: string): Record<Period | 'revision', bigint> {
    const unchanged = { revision: 1n, day: 200n, week: 250n, month: 300n, total: 500n, session: 200n };
    return this.#limits.get(`${account}/${node}`) ?? unchanged;
  }

  /** The lease that a step concerns. */
  #placeOf(step: { account: number; session: number; covered: boolean }): { account: string; session: string } {
    const covered = step.covered ? this.#model.coveredLeases() : [];
    const found = covered[(step.account * SESSIONS + step.session) % covered.length];
    return found ?? { account: at(this.#accounts, step.account), session: at(this.#sessions, step.session) };
  }

  #deposit(step: Extract<CallStep, { kind: 'deposit' }>): Operation {
    const earlier = step.again === undefined ? undefined : this.#deposits.at(-1 - step.again);
    if (earlier !== undefined) return step.changed ? { ...earlier, amount: earlier.amount * 2n } : earlier;
    const account = at(this.#accounts, step.account);
    const available = step.label === 'dispute' && step.beyond ? this.#model.available(account) : 0n;
    const isCredit = step.label === 'deposit' || step.label === 'adjustment';
    const amount = isCredit ? step.amount : -step.amount - available;
    const of = isCredit || step.of === undefined ? undefined : [...this.#model.deposits.values()].at(-1 - step.of)?.id;
    const { endsInMs, priority = 50 } = step.lot ?? {};
    const endsAtMs = endsInMs === undefined ? undefined : this.#time.nowMs + endsInMs;
    const lot = isCredit && step.lot !== undefined ? { endsAtMs, priority } : undefined;
    const deposit = { kind: 'deposit' as const, account, label: step.label, amount, key: this.#ids.at(0), of, lot };
    this.#deposits.push(deposit);
    return deposit;
  }

  #record(step: RecordStep): Charge {
    const earlier = step.again === undefined ? undefined : this.#records.at(-1 - step.again);
    if (earlier !== undefined) return step.changed ? changed(earlier.charge) : earlier.charge;
    const { account, session } = this.#placeOf(step);
    const charge = recordOf(step, this.#ids, {
      nowMs: this.#time.nowMs,
      accountId: account,
      sessionId: session,
      maxAgeMs: TIMES.CHARGE_MAX_AGE_MS,
    });
    this.#records.push({ charge, step });
    return charge;
  }

  /** Runs one operation on both sides. */
  async #call(operation: Operation, replica: number, mishap?: Mishap): Promise<void> {
    await this.#ensureOpen(operation, replica);
    count(this.#counts, operation.kind);
    const response =
      mishap === undefined || this.#makesAccounts(operation)
        ? await this.#ask(operation, replica)
        : await this.#askAmid(operation, replica, mishap);
    const made = operation.kind === 'deposit' && !this.#model.deposits.has(`${operation.account}/${operation.key}`);
    const isRepetition = made && mishap?.endsWith('after') === true && response.kind === 'repeated';
    const fault = this.#model.apply(
      operation,
      isRepetition ? { ...response, kind: 'made' } : response,
      this.#time.nowMs,
    );
    if (fault !== undefined) throw new Violation(`${show(operation)}: ${fault}`);
    if (response.kind === 'settled') for (const outcome of response.outcomes) count(this.#counts, `outcome ${outcome}`);
    await this.#compare(operation);
  }

  /** Whether it creates accounts first, in a separate transaction that nothing depends on. */
  #makesAccounts(operation: Operation): boolean {
    return operation.kind === 'settle' && this.#model.newAccounts(operation.charges).length > 0;
  }

  /** Whether it sets a limit, which stays also when it is refused, and before a recall. */
  #setsLimits(operation: Operation): boolean {
    if (operation.kind !== 'acquire') return false;
    const { account, needs } = operation;
    return needs.some(({ cap, revision }) => cap !== undefined && this.#model.caps.isNews(account, cap, revision));
  }

  async #compare(what: unknown): Promise<void> {
    const wrong = difference(await figuresOf(this.#database.observer), figuresOfModel(this.#model));
    if (wrong !== undefined) throw new Violation(`after ${show(what)} ${wrong}`);
  }

  /** A Lease call begins with the opening of its session. */
  async #ensureOpen(operation: Operation, replica: number, compared = true): Promise<void> {
    if (!('session' in operation) || this.#caller(replica).has(operation.session)) return;
    const open: Operation = { kind: 'open', session: operation.session };
    const fault = this.#model.apply(open, await this.#ask(open, replica), this.#time.nowMs);
    if (fault !== undefined) throw new Violation(`${show(open)}: ${fault}`);
    if (compared) await this.#compare(open);
  }

  #caller(replica: number): Caller {
    return at(this.#replicas, replica).caller;
  }

  #ask(operation: Operation, replica: number): Promise<Result> {
    return this.#awaitResponse(this.#caller(replica).run(operation));
  }

  /** Advances time until there is a response. */
  async #awaitResponse<T>(response: Promise<T>): Promise<T> {
    let done = false;
    const settled = () => {
      done = true;
    };
    response.then(settled, settled);
    const sinceMs = this.#time.nowMs;
    await waitUntilIdle();
    while (!done) {
      if (this.#time.nowMs - sinceMs > MAX_RESPONSE_MS) throw new Violation('the ledger does not respond');
      await this.#time.advance(WAIT_STEP_MS, waitUntilIdle);
    }
    return response.catch((error: unknown) => {
      throw new Violation(`the ledger failed: ${error instanceof Error ? error.message : show(error)}`);
    });
  }

  /** The operation, with a mishap at its first commit. The model also applies what was committed without a response. */
  async #askAmid(operation: Operation, index: number, mishap: Mishap): Promise<Result> {
    const { replica, caller } = at(this.#replicas, index);
    const phase: CommitFault = mishap.endsWith('before') ? 'before' : 'after';
    const dies = mishap.startsWith('dies');
    let happened = false;
    replica.faultyPool.failNextCommit(phase, () => {
      happened = true;
      // The result of a grant or a deposit is in the response to its repetition; all else runs twice.
      if (phase === 'after' && operation.kind !== 'acquire' && operation.kind !== 'deposit')
        this.#model.apply(operation, undefined, this.#time.nowMs);
      if (dies) replica.kill();
    });
    const response = caller.run(operation);
    if (!dies) return this.#awaitResponse(response).finally(() => replica.faultyPool.cancelFault());
    response.catch(() => undefined);
    await waitUntilIdle();
    replica.faultyPool.cancelFault();
    if (!happened) return this.#awaitResponse(response);
    count(this.#counts, 'death of a ledger');
    this.#replicas[index] = this.#startReplica();
    // The figures are compared after the response to the operation itself.
    await this.#ensureOpen(operation, index, false);
    return this.#ask(operation, index);
  }

  /** Runs operations concurrently on both replicas; some order of them must explain the result. */
  async #race(steps: readonly CallStep[]): Promise<void> {
    const racing: { operation: Operation; replica: number }[] = [];
    for (const [index, step] of steps.entries()) {
      const operation = this.#operationOf(step);
      const session = operation !== undefined && 'session' in operation ? operation.session : undefined;
      // One message of a call at a time, to match responses with requests.
      const isFree = (replica: number) =>
        session === undefined ||
        !racing.some(
          (other) => other.replica === replica && 'session' in other.operation && other.operation.session === session,
        );
      const replica = [index % REPLICAS, (index + 1) % REPLICAS].find(isFree);
      if (operation === undefined || replica === undefined) continue;
      if (this.#makesAccounts(operation) || this.#setsLimits(operation)) continue;
      await this.#ensureOpen(operation, replica);
      racing.push({ operation, replica });
    }
    count(this.#counts, 'race');
    const responses = await this.#awaitResponse(
      Promise.all(racing.map(({ operation, replica }) => this.#caller(replica).run(operation))),
    );
    const found = await figuresOf(this.#database.observer);
    const faults: string[] = [];
    for (const order of orders(racing.length)) {
      const model = this.#model.clone();
      const fault = this.#explain(
        model,
        racing.map(({ operation }) => operation),
        responses,
        order,
        found,
      );
      if (fault === undefined) {
        this.#model = model;
        return;
      }
      faults.push(`${order.join()}: ${fault}`);
    }
    throw new Violation(`no order explains ${show(racing)}: ${faults.join('; ')}`);
  }

  #explain(
    model: LedgerModel,
    operations: readonly Operation[],
    responses: readonly Result[],
    order: readonly number[],
    found: string[],
  ): string | undefined {
    for (const index of order) {
      const fault = model.apply(at(operations, index), responses[index], this.#time.nowMs);
      if (fault !== undefined) return fault;
    }
    return difference(found, figuresOfModel(model));
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`there is no item ${index}`);
  return found;
}

/** All permutations of indexes below `length`. */
function orders(length: number): number[][] {
  if (length === 0) return [[]];
  return orders(length - 1).flatMap((order) =>
    Array.from({ length }, (_, place) => [...order.slice(0, place), length - 1, ...order.slice(place)]),
  );
}
