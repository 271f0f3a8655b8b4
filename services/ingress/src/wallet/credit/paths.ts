import type { Ceiling, CeilingState } from '@tollgate/proto/ledger';
import {
  ceilingKey,
  ceilingName,
  ceilingsOf,
  type Limit,
  type NodeCeiling,
  nodeCeilingOf,
  pathKey,
} from './ceiling.ts';
import { hasRemainingCredit, Lease } from './lease.ts';
import { Path } from './path.ts';
import type { CappedPath, CreditLimits } from './types.ts';

/** The leases of one account in one session, and the paths of its requests, which share them. */
export class Paths {
  readonly balance: Lease;
  readonly #limits: CreditLimits;
  readonly #nowMs: () => number;
  readonly #limitChanged: (lease: Lease) => void;
  /** By ceiling. */
  readonly #leases = new Map<string, Lease>();
  readonly #paths = new Map<string, Path>();

  /** @param limitChanged called with a lease that was granted under an older limit */
  constructor(limits: CreditLimits, nowMs: () => number, limitChanged: (lease: Lease) => void) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#limitChanged = limitChanged;
    this.balance = this.#add('', new Lease());
  }

  get leases(): Iterable<Lease> {
    return this.#leases.values();
  }

  get all(): Iterable<Path> {
    return this.#paths.values();
  }

  /** How many leases of limits below the balance there are. */
  get limits(): number {
    return this.#leases.size - 1;
  }

  /** The path of a request; undefined: without limits below the balance. */
  of(capped: CappedPath | undefined): Path {
    const id = capped === undefined ? '' : pathKey(capped);
    const known = this.#paths.get(id);
    if (known !== undefined) return known;
    const below =
      capped === undefined ? [] : ceilingsOf(capped).map(({ ceiling, limit }) => this.#lease(ceiling, limit));
    const path = new Path([this.balance, ...below], this.#limits);
    this.#paths.set(id, path);
    return path;
  }

  #lease(ceiling: NodeCeiling, limit: Limit): Lease {
    const key = ceilingKey(ceilingName(ceiling));
    const known = this.#leases.get(key);
    if (known === undefined) return this.#add(key, new Lease({ ceiling, limit }));
    if (known.updateLimit(limit)) this.#limitChanged(known);
    return known;
  }

  #add(key: string, lease: Lease): Lease {
    lease.lastUsedMs = this.#nowMs();
    this.#leases.set(key, lease);
    return lease;
  }

  /** The lease of a ceiling that the ledger names. */
  lease(name: Ceiling): Lease | undefined {
    return this.#leases.get(ceilingKey(name));
  }

  /** Adds the lease of a state, unless it shows that the session has no credit under its ceiling. */
  restore(name: Ceiling, state: CeilingState): Lease | undefined {
    const ceiling = nodeCeilingOf(name);
    if (ceiling === undefined || !hasRemainingCredit(state)) return undefined;
    return this.#lease(ceiling, { nanos: state.limitNanos, revision: state.revision });
  }

  /** Drops paths that nobody uses, and leases that belong to none and have nothing left. */
  drop(isUnused: (path: Path) => boolean): void {
    const used = new Set([this.balance]);
    for (const [key, path] of this.#paths) {
      if (path.waiters.size === 0 && path.openSequence === undefined && isUnused(path)) this.#paths.delete(key);
      else for (const lease of path.leases) used.add(lease);
    }
    for (const [key, lease] of this.#leases) if (lease.idle && !used.has(lease)) this.#leases.delete(key);
  }
}
