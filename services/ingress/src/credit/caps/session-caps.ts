import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import type { KeyCaps } from '@tollgate/common/keys/index';
import type { CapName, CapState } from '@tollgate/proto/ledger';
import type { SessionOfAccount } from '../account-credit.ts';
import { coversCredit } from '../lease.ts';
import type { CappedKey, HoldResult } from '../types.ts';
import { type CapContext, CapCredit, type CapInPeriod } from './cap-credit.ts';

/** What one session has of the caps of keys, each in the periods that its open requests started in. */
export class SessionCaps {
  readonly #session: SessionOfAccount;
  readonly #caps = new Map<string, CapCredit>();

  constructor(session: SessionOfAccount) {
    this.#session = session;
  }

  all(): Iterable<CapCredit> {
    return this.#caps.values();
  }

  get size(): number {
    return this.#caps.size;
  }

  /** The caps a request of the key is held under, always in the same order, with their limits as the key has them. */
  of(accountId: string, key: CappedKey, context: CapContext): CapCredit[] {
    const held: CapCredit[] = [];
    for (const period of CAP_PERIODS) {
      const limitNanos = limitOf(key.caps, period);
      if (limitNanos === undefined) continue;
      held.push(this.#cap(accountId, key, period, limitNanos, context));
    }
    return held;
  }

  #cap(accountId: string, key: CappedKey, period: CapPeriodLabel, limitNanos: bigint, context: CapContext): CapCredit {
    const startMs = periodStart(period, key.startedAtMs);
    const text = textOf(key.keyId, period, startMs);
    const known = this.#caps.get(text);
    if (known !== undefined) {
      known.heed(limitNanos, key.revision);
      return known;
    }
    const cap = { accountId, keyId: key.keyId, period, startMs };
    return this.#add(new CapCredit(cap, limitNanos, key.revision, this.#session, context));
  }

  /** Takes in a state; one of a cap that is not known here says nothing new, unless the session has a part of it. */
  applyState(state: CapState, context: CapContext): void {
    const cap = this.#find(state.cap) ?? this.#remember(state, context);
    cap?.applyState(state);
  }

  /** The cap of a state that tells of credit which is not known here. */
  #remember(state: CapState, context: CapContext): CapCredit | undefined {
    const cap = capOf(state.cap);
    if (cap === undefined || !coversCredit(state)) return undefined;
    return this.#add(new CapCredit(cap, state.limitNanos, state.keyRevision, this.#session, context));
  }

  #add(made: CapCredit): CapCredit {
    const { keyId, period, startMs } = made.cap;
    this.#caps.set(textOf(keyId, period, startMs), made);
    return made;
  }

  /** Gives back what is free of a cap; false when nothing is known of it. */
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

  refuseAll(result: HoldResult<never>): void {
    for (const cap of this.#caps.values()) cap.refuseAll(result);
  }

  /** Hands all requests that wait over to the same caps in another session. */
  moveWaitersTo(other: SessionCaps, context: CapContext): void {
    for (const [text, cap] of this.#caps) {
      if (cap.waiting === 0) continue;
      const next = other.#caps.get(text) ?? cap.again(other.#session, context);
      other.#caps.set(text, next);
      cap.moveWaitersTo(next);
    }
  }

  /** Returns what has lain idle, and forgets caps of which nothing is left, such as those of periods gone by. */
  sweep(): void {
    for (const [text, cap] of this.#caps) {
      cap.sweep();
      if (cap.dormant) this.#caps.delete(text);
    }
  }

  #find(name: CapName | undefined): CapCredit | undefined {
    const cap = capOf(name);
    return cap === undefined ? undefined : this.#caps.get(textOf(cap.keyId, cap.period, cap.startMs));
  }
}

/** The cap that the ledger names; undefined where it names none, or a period that is not known here. */
function capOf(name: CapName | undefined): CapInPeriod | undefined {
  const period = CAP_PERIODS.find((label) => CAP_PERIOD_OF_LABEL[label] === name?.period);
  if (name === undefined || period === undefined) return undefined;
  return { accountId: name.accountId, keyId: name.keyId, period, startMs: Number(name.periodStartMs) };
}

function textOf(keyId: string, period: CapPeriodLabel, startMs: number): string {
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
