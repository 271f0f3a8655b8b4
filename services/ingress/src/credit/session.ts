import type { CapName, HeldCredit } from '@tollgate/proto/ledger';
import type { Clock, Instant } from '../journal/clock.ts';
import { type AccountContext, AccountCredit } from './account-credit.ts';
import { SessionCaps } from './caps/session-caps.ts';
import { Heartbeats } from './heartbeats.ts';
import type { HoldResult } from './types.ts';

/** Held figures that one heartbeat tells at most; the rest follows with the next. */
const HELD_PER_HEARTBEAT = 20_000;

/** What open holds and unacknowledged charges still need of an account, or of a cap of one of its keys. */
export interface Claim {
  accountId: string;
  cap: CapName | undefined;
  claimedNanos: bigint;
}

/** One ingress session: its leases, and what of it is still open once another has taken its place. */
export class CreditSession {
  readonly id: string;
  readonly accounts = new Map<string, AccountCredit>();
  readonly caps: SessionCaps;
  readonly heartbeats: Heartbeats;
  openHolds = 0;
  /** Charges under this session that the ledger has not acknowledged. */
  unsettled = 0;
  /** No new hold is made under it. */
  retired = false;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.caps = new SessionCaps(this);
    this.heartbeats = new Heartbeats(clock);
  }

  /** Whether nothing more will be held or settled under it. */
  get finished(): boolean {
    return this.retired && this.openHolds === 0 && this.unsettled === 0;
  }

  account(accountId: string, context: AccountContext): AccountCredit {
    const known = this.accounts.get(accountId);
    if (known !== undefined) return known;
    const account = new AccountCredit(accountId, this, context);
    this.accounts.set(accountId, account);
    return account;
  }

  /** What is still needed of each account and cap. */
  *claims(): Generator<Claim> {
    for (const { lease } of this.accounts.values()) {
      yield { accountId: lease.accountId, cap: undefined, claimedNanos: lease.claimedNanos };
    }
    for (const { cap, name, claimedNanos } of this.caps.all())
      yield { accountId: cap.accountId, cap: name, claimedNanos };
  }

  /** Accounts whose open holds differ from what the ledger last confirmed. */
  changedHeld(): HeldCredit[] {
    const changed: HeldCredit[] = [];
    for (const account of this.accounts.values()) {
      const heldNanos = account.lease.heldNanos;
      if (heldNanos === account.reportedHeldNanos) continue;
      changed.push({ accountId: account.lease.accountId, heldNanos });
      if (changed.length === HELD_PER_HEARTBEAT) break;
    }
    return changed;
  }

  /** Takes an acknowledged heartbeat. @returns when it was sent; undefined for one that is not awaited */
  confirmHeartbeat(sequence: bigint): Instant | undefined {
    const heartbeat = this.heartbeats.acknowledged(sequence);
    for (const { accountId, heldNanos } of heartbeat?.held ?? []) {
      const account = this.accounts.get(accountId);
      if (account !== undefined) account.reportedHeldNanos = heldNanos;
    }
    return heartbeat?.at;
  }

  /** Ends all waits with one result. */
  refuseAll(result: HoldResult<never>): void {
    for (const account of this.accounts.values()) account.refuseAll(result);
    this.caps.refuseAll(result);
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    for (const account of this.accounts.values()) account.returnFree();
    this.caps.returnFree();
  }

  /** The stream broke: the answers to what was asked cannot come any more. */
  abandonAcquires(): void {
    for (const account of this.accounts.values()) account.lease.abandonAcquire();
    this.caps.abandonAcquires();
  }

  /** Goes on after the session was opened again, or its heartbeats are confirmed again. */
  reopened(): void {
    for (const account of this.accounts.values()) account.reopened();
    this.caps.reopened();
  }

  /** Returns idle leases and forgets accounts and caps of which nothing is left. */
  sweep(): void {
    this.caps.sweep();
    for (const [accountId, account] of this.accounts) {
      account.sweep();
      if (account.dormant) this.accounts.delete(accountId);
    }
  }
}
