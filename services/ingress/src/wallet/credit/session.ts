import type { Clock, Instant } from '@tollgate/common/clock';
import type { Ceiling, HeldCredit } from '@tollgate/proto/ledger';
import { type AccountContext, AccountCredit } from './account-credit.ts';
import { Heartbeats } from './heartbeats.ts';
import type { HoldResult } from './types.ts';

/** Held amounts that one heartbeat reports; the rest follow with the next one. */
const MAX_HELD_PER_HEARTBEAT = 20_000;

/** Credit under a ceiling that open holds and unacknowledged charges still need. */
export interface Claim {
  accountId: string;
  ceiling: Ceiling;
  claimedNanos: bigint;
}

/** One credit session with the ledger: its leases, and what is still open under it after another has replaced it. */
export class CreditSession {
  readonly id: string;
  readonly accounts = new Map<string, AccountCredit>();
  readonly heartbeats: Heartbeats;
  openHolds = 0;
  /** Charges under this session that the ledger has not acknowledged. */
  unsettled = 0;
  /** It was replaced; no new holds are made under it. */
  retired = false;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.heartbeats = new Heartbeats(clock);
  }

  /** Whether no more holds or charges can come under it. */
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

  /** How many leases of limits below balances there are. */
  get limits(): number {
    let count = 0;
    for (const { limits } of this.accounts.values()) count += limits;
    return count;
  }

  /** The credit that is still needed under each ceiling. */
  *claims(): Generator<Claim> {
    for (const { accountId, leases } of this.accounts.values()) {
      for (const { name: ceiling, claimedNanos } of leases) yield { accountId, ceiling, claimedNanos };
    }
  }

  /** Accounts whose held amount differs from the last one that the ledger confirmed. */
  changedHeld(): HeldCredit[] {
    const changed: HeldCredit[] = [];
    for (const account of this.accounts.values()) {
      const { heldNanos } = account.balance;
      if (heldNanos === account.reportedHeldNanos) continue;
      changed.push({ accountId: account.accountId, heldNanos });
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
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    for (const account of this.accounts.values()) account.returnFree();
  }

  /** Drops open acquires after the stream broke: their responses cannot come any more. */
  abandonAcquires(): void {
    for (const account of this.accounts.values()) account.abandonAcquires();
  }

  /** Resumes after the session was reopened, or its heartbeats are confirmed again. */
  reopened(): void {
    for (const account of this.accounts.values()) account.reopened();
  }

  /** Returns idle credit, and drops accounts that have none left. */
  sweep(): void {
    for (const [accountId, account] of this.accounts) {
      account.sweep();
      if (account.idle) this.accounts.delete(accountId);
    }
  }
}
