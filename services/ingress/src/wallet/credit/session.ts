import type { Clock, Instant } from '@tollgate/common/clock';
import type { CapName, HeldCredit } from '@tollgate/proto/ledger';
import { type AccountContext, AccountCredit } from './account-credit.ts';
import { Heartbeats } from './heartbeats.ts';
import type { OpenHold } from './open-hold.ts';
import { SessionCaps } from './session-caps.ts';
import type { HoldResult } from './types.ts';

/** Held amounts that one heartbeat reports; the rest follow with the next one. */
const MAX_HELD_PER_HEARTBEAT = 20_000;

/** Credit of an account, or of a cap of one of its keys, that open holds and unacknowledged charges still need. */
export interface Claim {
  accountId: string;
  cap: CapName | undefined;
  claimedNanos: bigint;
}

/** One credit session with the ledger: its leases, and what is still open under it after another has replaced it. */
export class CreditSession {
  readonly id: string;
  readonly accounts = new Map<string, AccountCredit<OpenHold>>();
  readonly caps: SessionCaps;
  readonly heartbeats: Heartbeats;
  openHolds = 0;
  /** Charges under this session that the ledger has not acknowledged. */
  unsettled = 0;
  /** It was replaced; no new holds are made under it. */
  retired = false;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.caps = new SessionCaps(this);
    this.heartbeats = new Heartbeats(clock);
  }

  /** Whether no more holds or charges can come under it. */
  get finished(): boolean {
    return this.retired && this.openHolds === 0 && this.unsettled === 0;
  }

  account(accountId: string, context: AccountContext<OpenHold>): AccountCredit<OpenHold> {
    const known = this.accounts.get(accountId);
    if (known !== undefined) return known;
    const account = new AccountCredit(accountId, this, context);
    this.accounts.set(accountId, account);
    return account;
  }

  /** The credit that is still needed of each account and cap. */
  *claims(): Generator<Claim> {
    for (const { lease } of this.accounts.values()) {
      yield { accountId: lease.accountId, cap: undefined, claimedNanos: lease.claimedNanos };
    }
    for (const { cap, name, claimedNanos } of this.caps.all())
      yield { accountId: cap.accountId, cap: name, claimedNanos };
  }

  /** Accounts whose held amount differs from the last one that the ledger confirmed. */
  changedHeld(): HeldCredit[] {
    const changed: HeldCredit[] = [];
    for (const account of this.accounts.values()) {
      const heldNanos = account.lease.heldNanos;
      if (heldNanos === account.reportedHeldNanos) continue;
      changed.push({ accountId: account.lease.accountId, heldNanos });
      if (changed.length === MAX_HELD_PER_HEARTBEAT) break;
    }
    return changed;
  }

  /** Records a heartbeat's acknowledgement. @returns when it was sent; undefined for one that is not open */
  confirmHeartbeat(sequence: bigint): Instant | undefined {
    const heartbeat = this.heartbeats.acknowledged(sequence);
    for (const { accountId, heldNanos } of heartbeat?.held ?? []) {
      const account = this.accounts.get(accountId);
      if (account !== undefined) account.reportedHeldNanos = heldNanos;
    }
    return heartbeat?.at;
  }

  /** Ends all waits with the same result. */
  rejectAll(result: HoldResult<never>): void {
    for (const account of this.accounts.values()) account.rejectAll(result);
    this.caps.rejectAll(result);
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    for (const account of this.accounts.values()) account.returnFree();
    this.caps.returnFree();
  }

  /** Drops open acquires after the stream broke: their responses cannot come any more. */
  abandonAcquires(): void {
    for (const account of this.accounts.values()) account.lease.abandonAcquire();
    this.caps.abandonAcquires();
  }

  /** Resumes after the session was reopened, or its heartbeats are confirmed again. */
  reopened(): void {
    for (const account of this.accounts.values()) account.reopened();
    this.caps.reopened();
  }

  /** Returns idle credit, and drops accounts and caps that have none left. */
  sweep(): void {
    this.caps.sweep();
    for (const [accountId, account] of this.accounts) {
      account.sweep();
      if (account.idle) this.accounts.delete(accountId);
    }
  }
}
