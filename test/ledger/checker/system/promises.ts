import { Disagreement } from '../support/disagreement.ts';
import { KEEP_MS, TIMES } from '../support/replica.ts';
import { payable, type Request } from './requests.ts';
import type { LedgerView } from './view.ts';

/** The spending caps of keys that have some, nano-dollars. */
export interface Caps {
  dayNanos: bigint;
  totalNanos: bigint;
}

/**
 * What the ledger promises, held against what it has after each step. All it knows are the requests of the clients, when
 * each session was last heard of, and when the sweeper ran.
 */
export class Promises {
  /** Sessions whose credit was rightly freed, or forgotten with the database that had it: the operator bears the rest. */
  readonly #excused = new Set<string>();
  /** Sessions seen to have ended. */
  readonly #ended = new Set<string>();
  /** Those that expired: no hold is made under one from then on. */
  readonly #expired = new Set<string>();
  readonly #heardAtMs = new Map<string, number>();
  /** The most that was seen to be lent to each session, of each thing. */
  readonly #grants = new Map<string, Map<string, bigint>>();
  /** Sessions to which more was lent than the database knows since it was replaced, and since when. */
  readonly #forgottenAtMs = new Map<string, number>();
  #lastSweepMs: number | undefined;
  /** End of the last time without any sweep that was long enough for heartbeats to be lost. */
  #quietSinceMs: number;

  /** The highest that each cap has been. */
  #caps: Caps;

  constructor(nowMs: number, caps: Caps) {
    this.#quietSinceMs = nowMs;
    this.#caps = caps;
  }

  capsChanged({ dayNanos, totalNanos }: Caps): void {
    const highest = (a: bigint, b: bigint) => (a > b ? a : b);
    const before = this.#caps;
    this.#caps = {
      dayNanos: highest(dayNanos, before.dayNanos),
      totalNanos: highest(totalNanos, before.totalNanos),
    };
  }

  /**
   * A request that came with the latest caps was given a hold: all that its key has spent and holds lies within them.
   *
   * @throws Disagreement where it does not
   */
  checkCapped(requested: Request, requests: ReadonlyMap<string, Request>, { dayNanos, totalNanos }: Caps): void {
    if (!requested.capped || this.#excused.has(requested.hold?.sessionId ?? '')) return;
    const day = startOfDay(requested.startedAtMs);
    let [ofDay, total] = [0n, 0n];
    for (const request of requests.values()) {
      if (request.keyId !== requested.keyId || this.#excused.has(request.hold?.sessionId ?? '')) continue;
      const amount = takenBy(request);
      total += amount;
      if (startOfDay(request.startedAtMs) === day) ofDay += amount;
    }
    if (ofDay <= dayNanos && total <= totalNanos) return;
    throw new Disagreement(
      `${ofDay} of the day and ${total} in all are spent and held, under caps of ${dayNanos} and ${totalNanos}`,
    );
  }

  /** A session received the confirmation that it is open, or of a heartbeat. */
  heard(sessionId: string, nowMs: number): void {
    this.#heardAtMs.set(sessionId, nowMs);
  }

  swept(nowMs: number): void {
    if (this.#lastSweepMs === undefined || nowMs - this.#lastSweepMs > TIMES.SESSION_TTL_MS) this.#quietSinceMs = nowMs;
    this.#lastSweepMs = nowMs;
  }

  get lastSweepMs(): number | undefined {
    return this.#lastSweepMs;
  }

  /**
   * The database is another one, which may know less. Where it knows enough of a session's leases to cover all that is
   * held and charged under them, that is still promised. Where it knows less than was lent, it may lend that to another
   * session: it cannot keep what it promised of caps, nor of a hold made before the ingress hears of it.
   */
  databaseReplaced(
    before: LedgerView,
    restored: LedgerView,
    requests: ReadonlyMap<string, Request>,
    { lastSweepMs, nowMs }: { lastSweepMs: number | undefined; nowMs: number },
  ): void {
    this.#noteGrants(before);
    for (const session of before.sessions.keys()) if (!restored.sessions.has(session)) this.#excused.add(session);
    for (const [session, lent] of this.#grants) {
      for (const [what, amount] of lent) {
        if ((restored.grants.get(session)?.get(what) ?? 0n) >= amount) continue;
        if (!this.#forgottenAtMs.has(session)) this.#forgottenAtMs.set(session, nowMs);
        if (what.startsWith('cap') && hasCapped(session, requests)) this.#excused.add(session);
      }
    }
    // Charges that may be lost come too, where they are not.
    for (const [lease, claim] of this.#claims(restored, requests, mostClaimOf)) {
      const [, session = ''] = lease.split('/');
      if ((restored.covers.get(lease) ?? 0n) < claim) this.#excused.add(session);
    }
    for (const [session, { state }] of restored.sessions) {
      if (state !== 'open') continue;
      this.#ended.delete(session);
      this.#expired.delete(session);
    }
    this.#lastSweepMs = lastSweepMs;
  }

  /** @throws Disagreement where a promise is broken */
  check(view: LedgerView, requests: ReadonlyMap<string, Request>, nowMs: number): void {
    this.#noteGrants(view);
    this.#checkSessions(view, nowMs);
    this.#checkCovers(view, requests);
    this.#checkCharges(view, requests);
    this.#checkCaps(view, requests);
  }

  #checkSessions(view: LedgerView, nowMs: number): void {
    for (const [id, { state, endedBy }] of view.sessions) {
      if (state === 'open' || this.#ended.has(id)) continue;
      this.#ended.add(id);
      if (endedBy !== 'expiry') continue;
      const heardAtMs = this.#heardAtMs.get(id) ?? Number.NEGATIVE_INFINITY;
      if (nowMs - heardAtMs < KEEP_MS && !this.#excused.has(id)) {
        throw new Disagreement(`session ${id} was ended ${nowMs - heardAtMs} ms after it was last heard of`);
      }
      if (nowMs - this.#quietSinceMs < KEEP_MS) {
        throw new Disagreement(`session ${id} was ended ${nowMs - this.#quietSinceMs} ms after a gap`);
      }
      this.#excused.add(id);
      this.#expired.add(id);
    }
  }

  /** @throws Disagreement where a hold was made under a session whose credit is someone else's */
  checkHold(sessionId: string, nowMs: number): void {
    if (this.#expired.has(sessionId))
      throw new Disagreement(`a hold was made under session ${sessionId}, which had expired`);
    const forgottenAtMs = this.#forgottenAtMs.get(sessionId);
    if (forgottenAtMs === undefined) return;
    const sinceMs = nowMs - forgottenAtMs;
    if (sinceMs > TIMES.SESSION_TTL_MS)
      throw new Disagreement(`a hold was made under session ${sessionId} ${sinceMs} ms after its credit was forgotten`);
    this.#excused.add(sessionId);
  }

  #noteGrants(view: LedgerView): void {
    for (const [session, lent] of view.grants) {
      const max = this.#grants.get(session) ?? new Map<string, bigint>();
      this.#grants.set(session, max);
      for (const [what, amount] of lent) if (amount > (max.get(what) ?? 0n)) max.set(what, amount);
    }
  }

  /** Every hold, and every charge that is not settled, is covered by its own lease. */
  #checkCovers(view: LedgerView, requests: ReadonlyMap<string, Request>): void {
    for (const [lease, claim] of this.#claims(view, requests)) {
      const cover = view.covers.get(lease) ?? 0n;
      if (cover >= claim) continue;
      throw new Disagreement(`lease ${lease} covers ${cover} of what is held and charged under it, ${claim}`);
    }
  }

  /** What is held and charged under leases that must cover it, by account and session. */
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

  /** Each charge is that of one request, once, and the customer paid what was promised. */
  #checkCharges(view: LedgerView, requests: ReadonlyMap<string, Request>): void {
    for (const [id, { account, session, hold, cost, charged }] of view.charges) {
      const request = requests.get(id);
      if (request === undefined) throw new Disagreement(`charge ${id} is of no request, or the second of one`);
      if (request.state === 'waiting' || request.state === 'open' || request.state === 'gone') {
        throw new Disagreement(`request ${id} was charged though it is ${request.state}`);
      }
      if (account !== request.account || session !== request.hold?.sessionId)
        throw new Disagreement(`charge ${id} is misplaced`);
      if (hold !== request.hold.nanos || cost !== request.cost)
        throw new Disagreement(`charge ${id} has other amounts`);
      const short = charged < payable(request) && !this.#excused.has(session);
      if (short || charged > payable(request)) {
        throw new Disagreement(`request ${id} cost ${cost} under a hold of ${hold}, and was charged ${charged}`);
      }
    }
  }

  /** What capped keys have spent and may still spend stays within their caps. */
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
      if (sum > limit) throw new Disagreement(`${sum} are spent and held under a cap of ${limit}: ${key}`);
    }
  }

  /** @throws Disagreement where an ingress has stopped before its time was over, and left a charge of its own unposted */
  checkStopped(view: LedgerView, requests: ReadonlyMap<string, Request>, ingress: number): void {
    for (const request of requests.values()) {
      if (request.ingress !== ingress || request.state !== 'ended' || view.charges.has(request.id)) continue;
      throw new Disagreement(`an ingress stopped early, and left request ${request.id} unposted in its journal`);
    }
  }

  /** @throws Disagreement where something is left undone once everything has come to rest */
  checkEnd(view: LedgerView, requests: ReadonlyMap<string, Request>, paidIn: ReadonlyMap<string, bigint>): void {
    for (const request of requests.values()) {
      if (request.state === 'ended' && !view.charges.has(request.id)) {
        throw new Disagreement(`request ${request.id} was delivered and never charged`);
      }
    }
    for (const [account, { available, leased, owed, loss }] of view.balances) {
      if (leased !== 0n)
        throw new Disagreement(`${leased} of ${account} are still leased though every session has ended`);
      let charged = 0n;
      let lost = 0n;
      for (const charge of view.charges.values()) {
        if (charge.account !== account) continue;
        charged += charge.charged;
        lost += charge.cost - charge.charged;
      }
      const right = (paidIn.get(account) ?? 0n) - charged;
      if (available - owed !== right) throw new Disagreement(`${account} has ${available - owed} left, not ${right}`);
      if (loss !== lost) throw new Disagreement(`the operator bears ${loss} of ${account}, not ${lost}`);
    }
  }
}

function hasCapped(session: string, requests: ReadonlyMap<string, Request>): boolean {
  return [...requests.values()].some(({ capped, hold }) => capped && hold?.sessionId === session);
}

export function startOfDay(ms: number): number {
  return ms - (ms % 86_400_000);
}

/** What a request certainly holds or has spent. */
function takenBy(request: Request): bigint {
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
  switch (request.state) {
    case 'open':
      return request.hold?.nanos ?? 0n;
    case 'ending':
    case 'ended':
      return view.charges.has(request.id) ? 0n : payable(request);
    case 'waiting':
    case 'gone':
    case 'uncertain':
      return 0n;
    default:
      return request.state satisfies never;
  }
}

/** What a request takes from its lease where its charge is not lost. */
function mostClaimOf(request: Request, view: LedgerView): bigint {
  if (request.state !== 'uncertain') return claimOf(request, view);
  return view.charges.has(request.id) ? 0n : payable(request);
}
