import type { Charge } from '@tollgate/proto/ledger';
import { type CapName, type Period, pathOf, periodsOf } from './ceilings.ts';

/** A session's lease of a ceiling, nano-dollars. */
export interface Lease {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  sequence: bigint;
}

export const NO_LEASE: Lease = { granted: 0n, spent: 0n, returned: 0n, sequence: 0n };

export function remainingOf(lease: Lease): bigint {
  return lease.granted - lease.spent - lease.returned;
}

interface Cap extends CapName {
  account: string;
  limit: bigint;
  revision: bigint;
  spent: bigint;
  /** By session. */
  leases: Map<string, Lease>;
}

const NO_CAP = { limit: 0n, revision: 0n, spent: 0n, leases: new Map<string, Lease>() };

/** A charge that was posted. */
export interface PostedCharge {
  charge: Charge;
  charged: bigint;
}

/** When the period of a request starts, independently of the code under test. */
export function startOf(period: Period, ms: number): number {
  if (period === 'total' || period === 'session') return 0;
  const date = new Date(ms);
  const days = { day: date.getUTCDate(), week: date.getUTCDate() - ((date.getUTCDay() + 6) % 7), month: 1 };
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), days[period]);
}

/** The spending caps of accounts' keys, and of the nodes above them, in plain numbers. */
export class CapModel {
  #caps = new Map<string, Cap>();

  clone(): CapModel {
    const copy = new CapModel();
    copy.#caps = structuredClone(this.#caps);
    return copy;
  }

  #find(account: string, { node, period, startMs }: CapName): Cap | undefined {
    return this.#caps.get(`${account}/${node}/${period}/${startMs}`);
  }

  lease(account: string, cap: CapName, session: string): Lease {
    return this.#find(account, cap)?.leases.get(session) ?? NO_LEASE;
  }

  setLease(account: string, cap: CapName, session: string, lease: Lease): void {
    this.#find(account, cap)?.leases.set(session, lease);
  }

  /** Its limit and revision, what is left of it, and what of that no session has. */
  figures(account: string, cap: CapName): { limit: bigint; revision: bigint; left: bigint; room: bigint } {
    const { limit, revision, spent, leases } = this.#find(account, cap) ?? NO_CAP;
    return { limit, revision, left: limit - spent, room: limit - spent - leasedOf(leases) };
  }

  /** Whether a limit would be set: its cap is new, or its revision is. */
  isNews(account: string, cap: CapName, revision: bigint): boolean {
    const known = this.#find(account, cap);
    return known === undefined || known.revision < revision;
  }

  /** The limit of the latest revision counts. A new cap begins with what its period was charged, a session with nothing. */
  setLimit(
    account: string,
    cap: CapName,
    { limit, revision }: { limit: bigint; revision: bigint },
    posted: Iterable<PostedCharge>,
  ): void {
    if (!this.isNews(account, cap, revision)) return;
    const { node, period, startMs } = cap;
    let spent = 0n;
    for (const { charge, charged } of posted) {
      const isOwn = charge.accountId === account && pathOf(charge).some((passed) => passed.node === node);
      if (isOwn && period !== 'session' && startOf(period, Number(charge.startedAtMs)) === startMs) spent += charged;
    }
    const known = this.#find(account, cap) ?? { node, period, startMs, account, spent, leases: new Map() };
    this.#caps.set(`${account}/${node}/${period}/${startMs}`, { ...known, limit, revision });
  }

  /** A charge counts towards all caps of its path and time, and is taken from the leases of those it was held under. */
  charge({ charge, charged }: PostedCharge): void {
    const { accountId, sessionId, startedAtMs } = charge;
    for (const { node, heldUnder } of pathOf(charge)) {
      for (const period of periodsOf(node)) {
        const cap = this.#find(accountId, { node, period, startMs: startOf(period, Number(startedAtMs)) });
        if (cap === undefined) continue;
        cap.spent += charged;
        const lease = cap.leases.get(sessionId);
        if (lease === undefined || !heldUnder.includes(period)) continue;
        const rest = remainingOf(lease);
        cap.leases.set(sessionId, { ...lease, spent: lease.spent + (rest < charged ? rest : charged) });
      }
    }
  }

  /** A session ended: its leases are freed, and removed. */
  free(session: string): void {
    for (const { leases } of this.#caps.values()) leases.delete(session);
  }

  /** What is compared with the database. */
  lines(): string[] {
    return [...this.#caps.values()].flatMap(({ account, node, period, startMs, limit, revision, spent, leases }) => {
      const name = `${account} ${node} ${period} ${startMs}`;
      const parts = [...leases].map(([session, lease]) => {
        return `cap lease ${name} ${session} ${lease.granted} ${lease.spent} ${lease.returned}`;
      });
      return [`cap ${name} ${limit} ${revision} ${spent} ${leasedOf(leases)}`, ...parts];
    });
  }
}

function leasedOf(leases: ReadonlyMap<string, Lease>): bigint {
  return [...leases.values()].reduce((sum, lease) => sum + remainingOf(lease), 0n);
}
