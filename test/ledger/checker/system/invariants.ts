import { KEEP_MS, TIMES } from '../support/replica.ts';
import { Violation } from '../support/violation.ts';
import { payable, type Request } from './requests.ts';
import type { LedgerView } from './view.ts';

/** The spending caps of keys that have some, nano-dollars. */
export interface Caps {
  dayNanos: bigint;
  totalNanos: bigint;
}

/**
 * Checks the ledger's invariants after each step. It knows only the requests of the clients, when each session was last
 * confirmed, and when the sweeper ran.
 */
export class SystemInvariants {
  /** Sessions whose credit was freed correctly, or lost with a database: the operator bears the rest. */
  readonly #excused = new Set<string>();
  /** Sessions seen to have ended. */
  readonly #ended = new Set<string>();
  /** Those that expired: no hold may be made under them. */
  readonly #expired = new Set<string>();
  readonly #confirmedAtMs = new Map<string, number>();
  /** Maximum granted to each session, by credit and cap. */
  readonly #grants = new Map<string, Map<string, bigint>>();
  /** Sessions with grants that a failover lost, and since when. */
  readonly #grantsLostAtMs = new Map<string, number>();
  #lastSweepMs: number | undefined;
  /** End of the last time without any sweep that was long enough for heartbeats to be lost. */
  #quietSinceMs: number;

  /** The highest value of each cap so far. */
  #caps: Caps;

  constructor(nowMs: number, caps: Caps) {
    this.#quietSinceMs = nowMs;
    this.#caps = caps;
  }

  recordCaps({ dayNanos, totalNanos }: Caps): void {
    const highest = (a: bigint, b: bigint) => (a > b ? a : b);
    const before = this.#caps;
    this.#caps = {
      dayNanos: highest(dayNanos, before.dayNanos),
      totalNanos: highest(totalNanos, before.totalNanos),
    };
  }

  /**
   * A request with the latest caps got a hold: what its key has spent and holds is within them.
   *
   * @throws Violation if it is not
   */
  checkCapped(requested: Request, requests: ReadonlyMap<string, Request>, { dayNanos, totalNanos }: Caps): void {
    if (!requested.capped || this.#excused.has(requested.hold?.sessionId ?? '')) return;
    const day = startOfDay(requested.startedAtMs);
    let [ofDay, total] = [0n, 0n];
    for (const request of requests.values()) {
      if (request.keyId !== requested.keyId || this.#excused.has(request.hold?.sessionId ?? '')) continue;
      const amount = amountOf(request);
      total += amount;
      if (startOfDay(request.startedAtMs) === day) ofDay += amount;
    }
    if (ofDay <= dayNanos && total <= totalNanos) return;
    throw new Violation(
      `${ofDay} of the day and ${total} in all are spent and held, under caps of ${dayNanos} and ${totalNanos}`,
    );
  }

  /** A session received SessionOpened, or the acknowledgement of a heartbeat. */
  recordConfirmation(sessionId: string, nowMs: number): void {
    this.#confirmedAtMs.set(sessionId, nowMs);
  }

  recordSweep(nowMs: number): void {
    if (this.#lastSweepMs === undefined || nowMs - this.#lastSweepMs > TIMES.SESSION_TTL_MS) this.#quietSinceMs = nowMs;
    this.#lastSweepMs = nowMs;
  }

  get lastSweepMs(): number | undefined {
    return this.#lastSweepMs;
  }

  /**
   * The database was replaced by one that may lack commits. If its leases still cover what is held and charged under them,
   * the invariants hold. Credit that it does not know as granted may be granted again: caps, and holds made before the
   * ingress notices, may then exceed it.
   */
  recordFailover(
    before: LedgerView,
    restored: LedgerView,
    requests: ReadonlyMap<string, Request>,
    { lastSweepMs, nowMs }: { lastSweepMs: number | undefined; nowMs: number },
  ): void {
    this.#recordGrants(before);
    for (const session of before.sessions.keys()) if (!restored.sessions.has(session)) this.#excused.add(session);
    for (const [session, granted] of this.#grants) {
      for (const [what, amount] of granted) {
        if ((restored.grants.get(session)?.get(what) ?? 0n) >= amount) continue;
        if (!this.#grantsLostAtMs.has(session)) this.#grantsLostAtMs.set(session, nowMs);
        if (what.startsWith('cap') && hasCapped(session, requests)) this.#excused.add(session);
      }
    }
    // Charges that may have been lost count, as they may still arrive.
    for (const [lease, claim] of this.#claims(restored, requests, maxClaimOf)) {
      const [, session = ''] = lease.split('/');
      if ((restored.remaining.get(lease) ?? 0n) < claim) this.#excused.add(session);
    }
    for (const [session, { state }] of restored.sessions) {
      if (state !== 'open') continue;
      this.#ended.delete(session);
      this.#expired.delete(session);
    }
    this.#lastSweepMs = lastSweepMs;
  }

  /** @throws Violation if an invariant is broken */
  check(view: LedgerView, requests: ReadonlyMap<string, Request>, nowMs: number): void {
    this.#recordGrants(view);
    this.#checkSessions(view, nowMs);
    this.#checkRemaining(view, requests);
    this.#checkCharges(view, requests);
    this.#checkCaps(view, requests);
  }

  #checkSessions(view: LedgerView, nowMs: number): void {
    for (const [id, { state, endedBy }] of view.sessions) {
      if (state === 'open' || this.#ended.has(id)) continue;
      this.#ended.add(id);
      if (endedBy !== 'expiry') continue;
      const confirmedAtMs = this.#confirmedAtMs.get(id) ?? Number.NEGATIVE_INFINITY;
      if (nowMs - confirmedAtMs < KEEP_MS && !this.#excused.has(id)) {
        throw new Violation(`session ${id} was ended ${nowMs - confirmedAtMs} ms after its last confirmation`);
      }
      if (nowMs - this.#quietSinceMs < KEEP_MS) {
        throw new Violation(`session ${id} was ended ${nowMs - this.#quietSinceMs} ms after a gap`);
      }
      this.#excused.add(id);
      this.#expired.add(id);
    }
  }

  /** @throws Violation if a hold was made under a session whose credit was freed or granted again */
  checkHold(sessionId: string, nowMs: number): void {
    if (this.#expired.has(sessionId))
      throw new Violation(`a hold was made under session ${sessionId}, which had expired`);
    const grantsLostAtMs = this.#grantsLostAtMs.get(sessionId);
    if (grantsLostAtMs === undefined) return;
    const sinceMs = nowMs - grantsLostAtMs;
    if (sinceMs > TIMES.SESSION_TTL_MS)
      throw new Violation(`a hold was made under session ${sessionId} ${sinceMs} ms after its grants were lost`);
    this.#excused.add(sessionId);
  }

  #recordGrants(view: LedgerView): void {
    for (const [session, granted] of view.grants) {
      const max = this.#grants.get(session) ?? new Map<string, bigint>();
      this.#grants.set(session, max);
      for (const [what, amount] of granted) if (amount > (max.get(what) ?? 0n)) max.set(what, amount);
    }
  }

  /** Every hold and unsettled charge is covered by the remaining credit of its lease. */
  #checkRemaining(view: LedgerView, requests: ReadonlyMap<string, Request>): void {
    for (const [lease, claim] of this.#claims(view, requests)) {
      const remaining = view.remaining.get(lease) ?? 0n;
      if (remaining >= claim) continue;
      throw new Violation(`lease ${lease} has ${remaining} left, and ${claim} is held and charged under it`);
    }
  }

  /** What is held and charged under leases, by account and session. */
  #claims(view: LedgerView, requests: ReadonlyMap<string, Request>, claimed = claimOf): Map<string, bigint> {
    const claims = new Map<string, bigint>();
    for (const request of requests.values()) {
      const claim = claimed(request, view);
      if (claim === 0n || request.hold === undefined || this.#excused.has(request.hold.sessionId)) continue;
      const lease = `${request.account}/${request.hold.sessionId}`;
      claims.set(lease, (claims.get(lease) ?? 0n) + claim);
    }
    return claims;
  }

  /** Each charge belongs to one request, once, and the customer paid the correct amount. */
  #checkCharges(view: LedgerView, requests: ReadonlyMap<string, Request>): void {
    for (const [id, { account, session, hold, cost, charged }] of view.charges) {
      const request = requests.get(id);
      if (request === undefined) throw new Violation(`charge ${id} has no request, or is its second charge`);
      if (request.state === 'waiting' || request.state === 'open' || request.state === 'gone') {
        throw new Violation(`request ${id} was charged, but is ${request.state}`);
      }
      if (account !== request.account || session !== request.hold?.sessionId)
        throw new Violation(`charge ${id} has another account or session`);
      if (hold !== request.hold.nanos || cost !== request.cost) throw new Violation(`charge ${id} has other amounts`);
      const short = charged < payable(request) && !this.#excused.has(session);
      if (short || charged > payable(request)) {
        throw new Violation(`request ${id} cost ${cost} under a hold of ${hold}, and was charged ${charged}`);
      }
    }
  }

  /** What capped keys have spent and may still spend is within their caps. */
  #checkCaps(view: LedgerView, requests: ReadonlyMap<string, Request>): void {
    const sums = new Map<string, bigint>();
    for (const request of requests.values()) {
      if (!request.capped || request.hold === undefined || this.#excused.has(request.hold.sessionId)) continue;
      const amount = claimOf(request, view) + (view.charges.get(request.id)?.charged ?? 0n);
      for (const period of [`day ${startOfDay(request.startedAtMs)}`, 'total']) {
        const key = `${request.account} ${period}`;
        sums.set(key, (sums.get(key) ?? 0n) + amount);
      }
    }
    for (const [key, sum] of sums) {
      const limit = key.endsWith('total') ? this.#caps.totalNanos : this.#caps.dayNanos;
      if (sum > limit) throw new Violation(`${sum} are spent and held under a cap of ${limit}: ${key}`);
    }
  }

  /** @throws Violation if an ingress stopped before its time limit and left one of its charges unposted */
  checkStopped(view: LedgerView, requests: ReadonlyMap<string, Request>, ingress: number): void {
    for (const request of requests.values()) {
      if (request.ingress !== ingress || request.state !== 'ended' || view.charges.has(request.id)) continue;
      throw new Violation(`an ingress stopped early, and left request ${request.id} unposted in its journal`);
    }
  }

  /** @throws Violation if something is left undone once everything is idle */
  checkEnd(view: LedgerView, requests: ReadonlyMap<string, Request>, paidIn: ReadonlyMap<string, bigint>): void {
    for (const request of requests.values()) {
      if (request.state === 'ended' && !view.charges.has(request.id)) {
        throw new Violation(`request ${request.id} was delivered and never charged`);
      }
    }
    for (const [account, { available, leased, owed, loss }] of view.balances) {
      if (leased !== 0n) throw new Violation(`${leased} of ${account} are still leased, but every session has ended`);
      let charged = 0n;
      let lost = 0n;
      for (const charge of view.charges.values()) {
        if (charge.account !== account) continue;
        charged += charge.charged;
        lost += charge.cost - charge.charged;
      }
      const right = (paidIn.get(account) ?? 0n) - charged;
      if (available - owed !== right) throw new Violation(`${account} has ${available - owed} left, not ${right}`);
      if (loss !== lost) throw new Violation(`the operator bears ${loss} of ${account}, not ${lost}`);
    }
  }
}

function hasCapped(session: string, requests: ReadonlyMap<string, Request>): boolean {
  return [...requests.values()].some(({ capped, hold }) => capped && hold?.sessionId === session);
}

export function startOfDay(ms: number): number {
  return ms - (ms % 86_400_000);
}

/** What a request holds or has spent for certain. */
function amountOf(request: Request): bigint {
  switch (request.state) {
    case 'open':
      return request.hold?.nanos ?? 0n;
    case 'ending':
    case 'ended':
      return payable(request);
    case 'waiting':
    case 'gone':
    case 'uncertain':
      return 0n;
    default:
      return request.state satisfies never;
  }
}

/** What a request may still take from its lease. */
function claimOf(request: Request, view: LedgerView): bigint {
  const isPosted = request.state !== 'open' && view.charges.has(request.id);
  return isPosted ? 0n : amountOf(request);
}

/** What a request takes from its lease if its charge is not lost. */
function maxClaimOf(request: Request, view: LedgerView): bigint {
  if (request.state !== 'uncertain') return claimOf(request, view);
  return view.charges.has(request.id) ? 0n : payable(request);
}
