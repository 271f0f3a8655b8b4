import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import type { KeyCaps } from '@tollgate/common/keys/index';
import type { CapName, CapState } from '@tollgate/proto/ledger';
import type { SessionRef } from './account-credit.ts';
import { type CapContext, CapCredit, type CapInPeriod } from './cap-credit.ts';
import { hasRemainingCredit } from './lease.ts';
import type { CappedKey, HoldResult } from './types.ts';

/** The caps of keys in one session, each per period in which open requests started. */
export class SessionCaps {
  readonly #session: SessionRef;
  readonly #caps = new Map<string, CapCredit>();

  constructor(session: SessionRef) {
    this.#session = session;
  }

  all(): Iterable<CapCredit> {
    return this.#caps.values();
  }

  get size(): number {
    return this.#caps.size;
  }

  /** The caps that a request of the key counts against, always in the same order, with the key's current limits. */
  capsFor(accountId: string, key: CappedKey, context: CapContext): CapCredit[] {
    const caps: CapCredit[] = [];
    for (const period of CAP_PERIODS) {
      const limitNanos = limitOf(key.caps, period);
      if (limitNanos === undefined) continue;
      caps.push(this.#cap(accountId, key, period, limitNanos, context));
    }
    return caps;
  }

  #cap(accountId: string, key: CappedKey, period: CapPeriodLabel, limitNanos: bigint, context: CapContext): CapCredit {
    const startMs = periodStart(period, key.startedAtMs);
    const id = capKey(key.keyId, period, startMs);
    const known = this.#caps.get(id);
    if (known !== undefined) {
      known.updateLimit(limitNanos, key.revision);
      return known;
    }
    const cap = { accountId, keyId: key.keyId, period, startMs };
    return this.#add(new CapCredit(cap, limitNanos, key.revision, this.#session, context));
  }

  /** Applies a state. One of an unknown cap is ignored, unless it shows that the session has leased a part of it. */
  applyState(state: CapState, context: CapContext): void {
    const cap = this.#find(state.cap) ?? this.#restore(state, context);
    cap?.applyState(state);
  }

  /** Adds the cap of a state that shows credit unknown here. */
  #restore(state: CapState, context: CapContext): CapCredit | undefined {
    const cap = parseCapName(state.cap);
    if (cap === undefined || !hasRemainingCredit(state)) return undefined;
    return this.#add(new CapCredit(cap, state.limitNanos, state.keyRevision, this.#session, context));
  }

  #add(made: CapCredit): CapCredit {
    const { keyId, period, startMs } = made.cap;
    this.#caps.set(capKey(keyId, period, startMs), made);
    return made;
  }

  /** Returns the free credit of a cap; false when the cap is unknown. */
  recalled(name: CapName | undefined): boolean {
    const cap = this.#find(name);
    cap?.recalled();
    return cap !== undefined;
  }

  abandonAcquires(): void {
    for (const cap of this.#caps.values()) cap.abandonAcquire();
  }

  reopened(): void {
    for (const cap of this.#caps.values()) cap.reopened();
  }

  returnFree(): void {
    for (const cap of this.#caps.values()) cap.returnFree();
  }

  rejectAll(result: HoldResult<never>): void {
    for (const cap of this.#caps.values()) cap.rejectAll(result);
  }

  /** Moves waiting requests to the same caps in another session. */
  moveWaitersTo(other: SessionCaps, context: CapContext): void {
    for (const [id, cap] of this.#caps) {
      if (cap.waiting === 0) continue;
      const next = other.#caps.get(id) ?? cap.inSession(other.#session, context);
      other.#caps.set(id, next);
      cap.moveWaitersTo(next);
    }
  }

  /** Returns idle credit, and drops caps that have none left, for example of past periods. */
  sweep(): void {
    for (const [id, cap] of this.#caps) {
      cap.sweep();
      if (cap.idle) this.#caps.delete(id);
    }
  }

  #find(name: CapName | undefined): CapCredit | undefined {
    const cap = parseCapName(name);
    return cap === undefined ? undefined : this.#caps.get(capKey(cap.keyId, cap.period, cap.startMs));
  }
}

/** The cap that the ledger names; undefined where it names none, or an unknown period. */
function parseCapName(name: CapName | undefined): CapInPeriod | undefined {
  const period = CAP_PERIODS.find((label) => CAP_PERIOD_OF_LABEL[label] === name?.period);
  if (name === undefined || period === undefined) return undefined;
  return { accountId: name.accountId, keyId: name.keyId, period, startMs: Number(name.periodStartMs) };
}

function capKey(keyId: string, period: CapPeriodLabel, startMs: number): string {
  return `${keyId}/${period}/${startMs}`;
}

function limitOf(caps: KeyCaps, period: CapPeriodLabel): bigint | undefined {
  switch (period) {
    case 'day':
      return caps.dayNanos;
    case 'month':
      return caps.monthNanos;
    case 'total':
      return caps.totalNanos;
    default:
      return period satisfies never;
  }
}
