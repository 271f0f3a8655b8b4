import { SettleOutcome } from '@tollgate/proto/ledger';

/** What the ledger promises of one account, in plain numbers: the simplest thing that could be right. */
export class AccountModel {
  available = 0n;
  paid = 0n;
  cost = 0n;
  readonly leases = new Map<string, { granted: bigint; spent: bigint; returned: bigint }>();
  readonly ended = new Set<string>();
  /** Posted charges, by request. */
  readonly posted = new Map<string, bigint>();

  lease(session: string): { granted: bigint; spent: bigint; returned: bigint } {
    const lease = this.leases.get(session) ?? { granted: 0n, spent: 0n, returned: 0n };
    this.leases.set(session, lease);
    return lease;
  }

  cover(session: string): bigint {
    const lease = this.leases.get(session);
    return lease === undefined ? 0n : lease.granted - lease.spent - lease.returned;
  }

  get leased(): bigint {
    return [...this.leases.keys()].reduce((sum, session) => sum + this.cover(session), 0n);
  }

  /** Records what the ledger granted, which must meet the need and be there to give. */
  granted(session: string, needed: bigint, grantedTotal: bigint, refused: boolean): boolean {
    const lease = this.lease(session);
    const need = needed - lease.granted;
    const more = grantedTotal - lease.granted;
    const right = need <= 0n ? more === 0n && !refused : refused ? need > this.available && more === 0n : more >= need;
    if (!right || more > this.available) return false;
    lease.granted += more;
    this.available -= more;
    return true;
  }

  returned(session: string, total: bigint): void {
    const lease = this.lease(session);
    const most = lease.granted - lease.spent;
    const target = total < most ? total : most;
    if (target <= lease.returned) return;
    this.available += target - lease.returned;
    lease.returned = target;
  }

  end(session: string): void {
    this.ended.add(session);
    this.returned(session, this.lease(session).granted);
  }

  settle(session: string, requestId: string, cost: bigint, hold: bigint): SettleOutcome {
    const known = this.posted.get(requestId);
    if (known !== undefined) return known === cost ? SettleOutcome.DUPLICATE : SettleOutcome.QUARANTINED;
    this.posted.set(requestId, cost);
    const payable = cost < hold ? cost : hold;
    const cover = this.cover(session);
    const pays = payable < cover ? payable : cover;
    if (pays > 0n) this.lease(session).spent += pays;
    this.paid += pays;
    this.cost += cost;
    return pays === payable ? SettleOutcome.POSTED : SettleOutcome.LOSS;
  }
}
