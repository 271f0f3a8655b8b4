import { minBigInt } from '@tollgate/common/money';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { isWellFormed } from './amounts.ts';
import { CapModel, type Lease, NO_LEASE, type PostedCharge, remainingOf } from './cap-model.ts';
import { type CapName, ceilingOf, figuresOfCeiling, reportedFigures } from './ceilings.ts';
import { LotModel, type ModelLot } from './lot-model.ts';
import { differs, type NeedOf, type Operation, type Result, show } from './operations.ts';

interface Account {
  available: bigint;
  breakage: bigint;
  owed: bigint;
  deposits: bigint;
  revenue: bigint;
  loss: bigint;
}

interface Session {
  state: 'open' | 'closed';
  epoch: bigint;
  openedAtMs: number;
  beatAtMs: number;
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
  caps = new CapModel();
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
    const { lots, caps, ...rest } = this;
    Object.assign(copy, structuredClone(rest), { lots: lots.clone(), caps: caps.clone() });
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

  /** A session's lease of a cap, or of the balance. */
  lease(account: string, session: string, cap?: CapName): Lease {
    if (cap !== undefined) return this.caps.lease(account, cap, session);
    return this.leases.get(`${account}/${session}`) ?? NO_LEASE;
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

  /** All or nothing, at most what is available; the ledger chooses how much it grants beyond the needs. */
  #acquire(requested: Extract<Operation, { kind: 'acquire' }>, response: Result | undefined): string | undefined {
    const { account, session, sequence, needs } = requested;
    // Caps need a balance to be locked, and make one.
    if (needs.some(({ cap }) => cap !== undefined)) this.#create(account);
    if (this.#usable(session) === undefined) return differs({ kind: 'fenced' }, response);
    if (response?.kind !== 'lease') return `responded ${show(response)} to an acquire`;
    const { state } = response;
    if (state.sequence !== sequence) return 'responded to another acquire';
    for (const { cap, limit, revision } of needs) {
      if (cap !== undefined) this.caps.setLimit(account, cap, { limit, revision }, this.posted.values());
    }
    const short = needs.map((need) => this.#isShort(requested, need));
    const refused = short.includes(true);
    const reported = state.ceilings.map((ceiling) => ceiling.short);
    if (state.refused !== refused || reported.join() !== short.join())
      return `${state.refused ? 'refused' : 'granted'} what is short of ${short}, by the response of ${reported}`;
    for (const [place, need] of needs.entries()) {
      const lease = this.lease(account, session, need.cap);
      const more = (state.ceilings[place]?.grantedTotal ?? 0n) - lease.granted;
      const missing = refused ? 0n : this.#missing(requested, need);
      const room = this.#roomOf(account, need.cap);
      if (missing > 0n ? more < missing || more > room : more !== 0n)
        return `granted ${more} where ${missing} was needed of ${room}`;
      if (more > 0n) this.#setLease(account, session, need.cap, { ...lease, granted: lease.granted + more, sequence });
    }
    return this.#stateFault(requested, needs, state);
  }

  /** What an acquire lacks of a lease; 0n or less for nothing. */
  #missing({ account, session, sequence }: Extract<Operation, { kind: 'acquire' }>, { cap, needed }: NeedOf): bigint {
    const lease = this.lease(account, session, cap);
    return sequence < lease.sequence ? 0n : needed - lease.granted;
  }

  #isShort(requested: Extract<Operation, { kind: 'acquire' }>, need: NeedOf): boolean {
    const missing = this.#missing(requested, need);
    const room = this.#roomOf(requested.account, need.cap);
    if (missing <= 0n) return room < 0n;
    const owes = (this.accounts.get(requested.account)?.owed ?? 0n) > 0n;
    return missing > room || (need.cap === undefined && owes);
  }

  #roomOf(account: string, cap: CapName | undefined): bigint {
    return cap === undefined ? this.available(account) : this.caps.figures(account, cap).room;
  }

  /** Changes a lease, of the balance with what is available. */
  #setLease(accountId: string, session: string, cap: CapName | undefined, lease: Lease): void {
    if (cap !== undefined) {
      this.caps.setLease(accountId, cap, session, lease);
      return;
    }
    const account = this.accounts.get(accountId);
    if (account !== undefined) account.available += remainingOf(this.lease(accountId, session)) - remainingOf(lease);
    this.leases.set(`${accountId}/${session}`, lease);
  }

  #return(requested: Extract<Operation, { kind: 'return' }>, response: Result | undefined): string | undefined {
    const { account, session, cap, total } = requested;
    if (this.#usable(session) === undefined) return differs({ kind: 'fenced' }, response);
    const lease = this.lease(account, session, cap);
    const returned = minBigInt(total, lease.granted - lease.spent);
    if (returned > lease.returned) this.#setLease(account, session, cap, { ...lease, returned });
    if (response === undefined) return undefined;
    if (response.kind !== 'lease') return `responded ${show(response)} to a return`;
    return this.#stateFault(requested, [requested], response.state);
  }

  /** What is wrong with the figures of a state. */
  #stateFault(
    { account, session }: { account: string; session: string },
    named: readonly { cap: CapName | undefined }[],
    state: Extract<Result, { kind: 'lease' }>['state'],
  ): string | undefined {
    const reported = reportedFigures(state).join('; ');
    const right = named.map(({ cap }) => {
      const { granted, spent, returned } = this.lease(account, session, cap);
      const room = this.available(account);
      const balance = { limit: 0n, revision: 0n, left: room + this.leased(account), room };
      const of = cap === undefined ? balance : this.caps.figures(account, cap);
      const rest = [atLeastZero(of.left), atLeastZero(of.room), of.limit, of.revision];
      return figuresOfCeiling(ceilingOf(cap), [granted, spent, returned, ...rest]);
    });
    if (reported !== right.join('; '))
      return `reported ${reported} (granted, spent, returned, left, available, limit, revision), not ${right.join('; ')}`;
    const owes = (this.accounts.get(account)?.owed ?? 0n) > 0n;
    return state.suspended === owes ? undefined : 'reported wrongly whether it is suspended';
  }

  /** Unknown accounts with a charge of 0 in a batch, which creates them. */
  newAccounts(charges: readonly Charge[]): string[] {
    const free = charges.filter((charge) => charge.costNanos === 0n && charge.holdNanos === 0n && isWellFormed(charge));
    return free.map(({ accountId }) => accountId).filter((accountId) => !this.accounts.has(accountId));
  }

  #know(charges: readonly Charge[]): void {
    for (const accountId of this.newAccounts(charges)) this.#create(accountId);
  }

  #create(accountId: string): void {
    if (!this.accounts.has(accountId)) this.accounts.set(accountId, emptyAccount());
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
    const same = known !== undefined && show(known.charge) === show(charge);
    if (account === undefined || !timely || !isWellFormed(charge) || (known !== undefined && !same)) {
      this.quarantined.add(`${accountId}/${requestId}/${show(charge)}`);
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
    this.caps.charge({ charge, charged });
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
      if (owner === id) this.#setLease(account, id, undefined, { ...lease, returned: lease.granted - lease.spent });
    }
    this.caps.free(id);
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

function atLeastZero(nanos: bigint): bigint {
  return nanos > 0n ? nanos : 0n;
}

/** The lots that a debit takes first. */
function firstOf({ label, of }: Extract<Operation, { kind: 'deposit' }>): (lot: ModelLot) => boolean {
  if (of !== undefined) return ({ payment }) => payment === of;
  return ({ kind }) => label === 'refund' && kind === 'paid';
}

function emptyAccount(): Account {
  return { available: 0n, breakage: 0n, owed: 0n, deposits: 0n, revenue: 0n, loss: 0n };
}
