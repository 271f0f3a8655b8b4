import { minBigInt } from '@tollgate/common/money';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { checkedAmounts } from './amounts.ts';
import { LotModel, type ModelLot } from './lot-model.ts';
import type { Operation, Result } from './operations.ts';

interface Account {
  available: bigint;
  breakage: bigint;
  owed: bigint;
  deposits: bigint;
  revenue: bigint;
  loss: bigint;
}

interface Lease {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  sequence: bigint;
}

interface Session {
  state: 'open' | 'closed';
  epoch: bigint;
  openedAtMs: number;
  beatAtMs: number;
}

/** A charge that was posted. */
export interface PostedCharge {
  charge: Charge;
  charged: bigint;
}

/** Times of the ledger, milliseconds. */
export interface ModelTimes {
  gapMs: number;
  keepMs: number;
  maxAgeMs: number;
}

const MAX_AHEAD_MS = 600_000;
const MAX_SKEW_MS = 300_000;

/** A model of the ledger in plain numbers. */
export class LedgerModel {
  readonly times: ModelTimes;
  accounts = new Map<string, Account>();
  leases = new Map<string, Lease>();
  sessions = new Map<string, Session>();
  posted = new Map<string, PostedCharge>();
  /** Deposits by account and idempotency key. */
  deposits = new Map<string, { input: string; id: string }>();
  lots = new LotModel();
  /** Quarantined records, by account, request and content. */
  quarantined = new Set<string>();
  epoch = 1n;
  epochSinceMs = 0;
  lastTickMs: number | undefined;
  quietUntilMs = 0;

  constructor(times: ModelTimes) {
    this.times = times;
  }

  clone(): LedgerModel {
    const copy = new LedgerModel(this.times);
    const { lots, ...rest } = this;
    Object.assign(copy, structuredClone(rest), { lots: lots.clone() });
    return copy;
  }

  /**
   * Applies an operation, and describes what is wrong with the ledger's response.
   *
   * @param response undefined if it was committed and its response lost
   * @returns undefined if the response is correct
   */
  apply(operation: Operation, response: Result | undefined, nowMs: number): string | undefined {
    switch (operation.kind) {
      case 'deposit':
        return differs(this.#deposit(operation, response, nowMs), response);
      case 'open':
        return differs(this.#open(operation.session, nowMs), response);
      case 'beat':
        return differs(this.#beat(operation.session, nowMs), response);
      case 'acquire':
        return this.#acquire(operation, response);
      case 'return':
        return this.#return(operation, response);
      case 'settle':
        this.#know(operation.charges);
        return differs({ kind: 'settled', outcomes: operation.charges.map((c) => this.#settle(c, nowMs)) }, response);
      case 'close':
        return differs(this.#close(operation.closed, nowMs), response);
      case 'sweep':
        return differs({ kind: 'swept', sessions: this.#sweep(nowMs) }, response);
      case 'end_lots':
        this.#endLots(nowMs);
        return differs({ kind: 'ended' }, response);
      case 'raise_epoch':
        this.epoch += 1n;
        this.epochSinceMs = nowMs;
        return differs({ kind: 'raised' }, response);
      default:
        return operation satisfies never;
    }
  }

  lease(account: string, session: string): Lease {
    return this.leases.get(`${account}/${session}`) ?? { granted: 0n, spent: 0n, returned: 0n, sequence: 0n };
  }

  available(account: string): bigint {
    return this.accounts.get(account)?.available ?? 0n;
  }

  /** The leases with remaining credit. */
  coveredLeases(): { account: string; session: string }[] {
    const keys = [...this.leases].filter(([, lease]) => remainingOf(lease) > 0n).map(([key]) => key.split('/'));
    return keys.map(([account = '', session = '']) => ({ account, session }));
  }

  leased(account: string): bigint {
    let sum = 0n;
    for (const [key, lease] of this.leases) if (key.startsWith(`${account}/`)) sum += remainingOf(lease);
    return sum;
  }

  /** @param response has the id of a new deposit, which the ledger chooses */
  #deposit(given: Extract<Operation, { kind: 'deposit' }>, response: Result | undefined, nowMs: number): Result {
    const key = `${given.account}/${given.key}`;
    const input = `${given.label}/${given.amount}/${given.of}/${given.lot?.priority}/${given.lot?.endsAtMs}`;
    const known = this.deposits.get(key);
    if (known !== undefined) {
      if (known.input !== input) return { kind: 'other_input' };
      if (given.amount < 0n) this.#collectDebt(given.account);
      return { kind: 'repeated', id: known.id };
    }
    if ((given.lot?.endsAtMs ?? nowMs + 1) <= nowMs) return { kind: 'short' };
    const account = this.accounts.get(given.account) ?? emptyAccount();
    const { amount } = given;
    if (amount < 0n && account.available - account.owed + amount < 0n && given.label !== 'dispute')
      return { kind: 'short' };
    if (amount < 0n && !this.accounts.has(given.account)) return { kind: 'short' };
    if (amount < 0n && !this.#mayTake(given, account)) return { kind: 'short' };
    const id = response !== undefined && 'id' in response ? response.id : '';
    this.accounts.set(given.account, account);
    this.deposits.set(key, { input, id });
    this.#collectDebt(given.account);
    account.deposits += amount;
    const before = account.available;
    account.available += amount - account.owed;
    account.owed = account.available < 0n ? -account.available : 0n;
    account.available += account.owed;
    if (amount < 0n) this.lots.take(given.account, before - account.available, firstOf(given));
    else {
      const kind = given.label === 'adjustment' ? 'granted' : 'paid';
      const left = account.available - before;
      const { endsAtMs, priority = 50 } = given.lot ?? {};
      this.lots.add({ id, account: given.account, payment: id, kind, priority, endsAtMs, createdAtMs: nowMs, left });
    }
    return { kind: 'made', id };
  }

  /** Whether lots allow a debit that the balance allows. */
  #mayTake({ account: id, label, amount, of }: Extract<Operation, { kind: 'deposit' }>, account: Account): boolean {
    const named = of === undefined ? undefined : this.lots.find(of);
    // A debit has no lot.
    if (of !== undefined && named?.account !== id) return false;
    if (label !== 'refund') return true;
    if (named?.kind === 'granted') return false;
    // A debt is paid before the refund, out of any lots.
    const lots = this.lots.clone();
    lots.take(id, minBigInt(account.available, account.owed));
    const which = named === undefined ? ({ kind }: ModelLot) => kind === 'paid' : (lot: ModelLot) => lot.payment === of;
    return lots.left(id, which) >= -amount;
  }

  #endLots(nowMs: number): void {
    for (const [id, account] of this.accounts) {
      if (!this.lots.isEnding(id, nowMs)) continue;
      this.#collectDebt(id);
      const ended = this.lots.end(id, this.leased(id), nowMs);
      account.available -= ended;
      account.breakage += ended;
    }
  }

  /** A debit, repeated or not, ends with collecting debt from credit that was returned meanwhile. */
  #collectDebt(id: string): void {
    const account = this.accounts.get(id);
    if (account === undefined) return;
    const paid = account.available < account.owed ? account.available : account.owed;
    account.available -= paid;
    account.owed -= paid;
    this.lots.take(id, paid);
  }

  #usable(id: string): Session | undefined {
    const session = this.sessions.get(id);
    return session?.state === 'open' && session.epoch === this.epoch ? session : undefined;
  }

  #open(id: string, nowMs: number): Result {
    const madeAtMs = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    if (!this.sessions.has(id)) {
      if (madeAtMs < this.epochSinceMs) return { kind: 'fenced' };
      this.sessions.set(id, { state: 'open', epoch: this.epoch, openedAtMs: nowMs, beatAtMs: nowMs });
      return { kind: 'opened' };
    }
    const session = this.#usable(id);
    if (session === undefined) return { kind: 'fenced' };
    session.beatAtMs = nowMs;
    return { kind: 'opened' };
  }

  #beat(id: string, nowMs: number): Result {
    const session = this.#usable(id);
    if (session === undefined) return { kind: 'fenced' };
    session.beatAtMs = nowMs;
    return { kind: 'confirmed' };
  }

  /** All or nothing, at most what is available; the ledger chooses how much it grants beyond the need. */
  #acquire(requested: Extract<Operation, { kind: 'acquire' }>, response: Result | undefined): string | undefined {
    if (this.#usable(requested.session) === undefined) return differs({ kind: 'fenced' }, response);
    if (response?.kind !== 'lease') return `responded ${show(response)} to an acquire`;
    const { state } = response;
    const account = this.accounts.get(requested.account);
    const lease = this.lease(requested.account, requested.session);
    const more = state.grantedTotal - lease.granted;
    const need = requested.needed - lease.granted;
    if (state.sequence !== requested.sequence) return 'responded to another acquire';
    if (need <= 0n || requested.sequence < lease.sequence) {
      if (more !== 0n) return `granted ${more} twice`;
      if (account !== undefined && state.refused) return 'refused what was granted already';
      return this.#stateFault(requested, state);
    }
    const granted = account !== undefined && account.owed === 0n && need <= account.available;
    if (state.refused !== !granted) return `${state.refused ? 'refused' : 'granted'} ${need} of ${account?.available}`;
    if (!granted) return more === 0n ? this.#stateFault(requested, state) : `refused, but granted ${more}`;
    if (more < need || more > account.available)
      return `granted ${more} where ${need} was needed of ${account.available}`;
    account.available -= more;
    const sequence = requested.sequence;
    this.leases.set(`${requested.account}/${requested.session}`, { ...lease, granted: lease.granted + more, sequence });
    return this.#stateFault(requested, state);
  }

  #return(requested: Extract<Operation, { kind: 'return' }>, response: Result | undefined): string | undefined {
    if (this.#usable(requested.session) === undefined) return differs({ kind: 'fenced' }, response);
    const account = this.accounts.get(requested.account);
    const lease = this.lease(requested.account, requested.session);
    const target = minBigInt(requested.total, lease.granted - lease.spent);
    if (account !== undefined && target > lease.returned)
      this.#free(requested.account, requested.session, target - lease.returned);
    if (response === undefined) return undefined;
    if (response.kind !== 'lease') return `responded ${show(response)} to a return`;
    return this.#stateFault(requested, response.state);
  }

  #free(accountId: string, sessionId: string, amount: bigint): void {
    const account = this.accounts.get(accountId);
    const lease = this.lease(accountId, sessionId);
    if (account === undefined || amount === 0n) return;
    this.leases.set(`${accountId}/${sessionId}`, { ...lease, returned: lease.returned + amount });
    account.available += amount;
  }

  /** What is wrong with the figures of a lease's state. */
  #stateFault(
    { account: accountId, session }: { account: string; session: string },
    state: Extract<Result, { kind: 'lease' }>['state'],
  ): string | undefined {
    const account = this.accounts.get(accountId);
    const lease = this.lease(accountId, session);
    const reported = [
      state.grantedTotal,
      state.spentTotal,
      state.returnedTotal,
      state.availableNanos,
      state.balanceNanos,
    ];
    const available = account?.available ?? 0n;
    const right = [lease.granted, lease.spent, lease.returned, available, available + this.leased(accountId)];
    if (reported.join() !== right.join())
      return `reported ${reported.join()} (granted, spent, returned, available, balance), not ${right}`;
    return state.suspended === (account?.owed ?? 0n) > 0n ? undefined : 'reported wrongly whether it is suspended';
  }

  /** Unknown accounts with a charge of 0 in a batch, which creates them. */
  newAccounts(charges: readonly Charge[]): string[] {
    const free = charges.filter((charge) => charge.costNanos === 0n && charge.holdNanos === 0n && isWellFormed(charge));
    return free.map(({ accountId }) => accountId).filter((accountId) => !this.accounts.has(accountId));
  }

  #know(charges: readonly Charge[]): void {
    for (const accountId of this.newAccounts(charges)) this.accounts.set(accountId, emptyAccount());
  }

  #settle(charge: Charge, nowMs: number): SettleOutcome {
    const { accountId, requestId, sessionId, costNanos, holdNanos } = charge;
    const account = this.accounts.get(accountId);
    const requestMs = Number.parseInt(requestId.replace('-', '').slice(0, 12), 16);
    const timely =
      requestMs >= nowMs - this.times.maxAgeMs &&
      requestMs <= nowMs + MAX_AHEAD_MS &&
      Math.abs(Number(charge.startedAtMs) - requestMs) <= MAX_SKEW_MS;
    const known = this.posted.get(`${accountId}/${requestId}`);
    const same = known !== undefined && contentOf(known.charge) === contentOf(charge);
    if (account === undefined || !timely || !isWellFormed(charge) || (known !== undefined && !same)) {
      this.quarantined.add(`${accountId}/${requestId}/${contentOf(charge)}`);
      return SettleOutcome.QUARANTINED;
    }
    if (known !== undefined) return SettleOutcome.DUPLICATE;
    const payable = minBigInt(costNanos, holdNanos);
    const lease = this.lease(accountId, sessionId);
    const charged = minBigInt(payable, remainingOf(lease));
    if (charged > 0n) this.leases.set(`${accountId}/${sessionId}`, { ...lease, spent: lease.spent + charged });
    this.lots.spend(accountId, charged);
    account.revenue += costNanos;
    account.loss += costNanos - charged;
    this.posted.set(`${accountId}/${requestId}`, { charge, charged });
    return charged === payable ? SettleOutcome.POSTED : SettleOutcome.LOSS;
  }

  #close(id: string, nowMs: number): Result {
    const session = this.sessions.get(id);
    if (session === undefined) {
      this.sessions.set(id, { state: 'closed', epoch: this.epoch, openedAtMs: nowMs, beatAtMs: nowMs });
    } else this.#end(id, session);
    return { kind: 'closed' };
  }

  #end(id: string, session: Session): void {
    session.state = 'closed';
    for (const [key, lease] of this.leases) {
      const [account = '', owner] = key.split('/');
      if (owner === id) this.#free(account, id, remainingOf(lease));
    }
  }

  /** Ends sessions that died long enough ago; none for a full period after a gap between sweeps. */
  #sweep(nowMs: number): string[] {
    const { gapMs, keepMs } = this.times;
    if (this.lastTickMs === undefined || nowMs - this.lastTickMs > gapMs) this.quietUntilMs = nowMs + keepMs;
    this.lastTickMs = nowMs;
    if (nowMs < this.quietUntilMs) return [];
    const expired: string[] = [];
    for (const [id, session] of this.sessions) {
      if (session.state !== 'open' || session.beatAtMs >= nowMs - keepMs) continue;
      this.#end(id, session);
      expired.push(id);
    }
    return expired.sort();
  }
}

/** The lots that a debit takes first. */
function firstOf({ label, of }: Extract<Operation, { kind: 'deposit' }>): (lot: ModelLot) => boolean {
  if (of !== undefined) return ({ payment }) => payment === of;
  return ({ kind }) => label === 'refund' && kind === 'paid';
}

function emptyAccount(): Account {
  return { available: 0n, breakage: 0n, owed: 0n, deposits: 0n, revenue: 0n, loss: 0n };
}

function remainingOf(lease: Lease): bigint {
  return lease.granted - lease.spent - lease.returned;
}

/** Whether a charge has a UUIDv7, valid UUIDs, storable text and correct amounts. */
function isWellFormed(charge: Charge): boolean {
  if (charge.finishReason.includes('\0')) return false;
  const uuids = [charge.requestId, charge.accountId, charge.sessionId, charge.keyId];
  return uuids.every((id) => /^[0-9a-f-]{36}$/.test(id)) && charge.requestId[14] === '7' && checkedAmounts(charge);
}

/** The content that distinguishes records of the same request. */
export function contentOf(charge: Charge): string {
  return JSON.stringify(charge, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

function differs(right: Result, response: Result | undefined): string | undefined {
  if (response === undefined || show(response) === show(right)) return undefined;
  return `responded ${show(response)}, not ${show(right)}`;
}

export function show(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)) ?? 'nothing';
}
