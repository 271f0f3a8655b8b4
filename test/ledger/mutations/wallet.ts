import type { TestedMutation } from './mutation.ts';

const FOLDER = 'services/ingress';

function mutation(name: string, at: string, find: string, replace: string): TestedMutation {
  const test = `${FOLDER}/src/wallet/credit/account-credit.test.ts`;
  return { name, test, edits: [{ folder: FOLDER, at, find, replace }] };
}

/** Faults of the ingress's leases of several ceilings. */
export const WALLET_MUTATIONS: readonly TestedMutation[] = [
  mutation(
    'a hold is taken from the balance alone, and not from the limits below it',
    'AccountCredit.#hold',
    'for (const lease of path.leases) lease.hold(nanos);',
    'this.balance.hold(nanos);',
  ),
  mutation(
    'a charge is counted on the lease of the balance alone',
    'AccountCredit.endHold',
    'lease.endHold(heldNanos, chargedNanos);',
    'lease.endHold(heldNanos, lease === this.balance ? chargedNanos : 0n);',
  ),
  mutation(
    'a lease is used again although more is leased than its new limit',
    'Lease.applyState',
    'if (sequence > 0n && !state.short && isCurrent) this.#frozen = false;',
    'if (sequence > 0n && isCurrent) this.#frozen = false;',
  ),
  mutation(
    'a lease is used again before the ledger knows its new limit',
    'Lease.applyState',
    'if (sequence > 0n && !state.short && isCurrent) this.#frozen = false;',
    'if (sequence > 0n && !state.short) this.#frozen = false;',
  ),
  mutation(
    'a request takes what one before it lacks',
    'AccountCredit.#lacks',
    'this.#lacking.has(lease) || !lease.canHold(nanos)',
    '!lease.canHold(nanos)',
  ),
  mutation(
    'a request that waits for a limit of its key keeps the balance from others',
    'AccountCredit.pump',
    'if (!lease.canHold(nanos)) this.#lacking.add(lease);',
    'this.#lacking.add(lease);',
  ),
  mutation(
    'nobody takes a hold at once after a request has waited',
    'AccountCredit.pump',
    'this.#lacking.clear(); if (this.#waiters.size === 0 ||',
    'if (this.#waiters.size === 0 ||',
  ),
  mutation(
    'a request that a limit cannot pay for is not refused',
    'Waiter.rejection',
    'if (lease.leftNanos === undefined || lease.leftNanos >= leastNanos) continue;',
    'if (lease.leftNanos === undefined || lease.ceiling !== undefined || lease.leftNanos >= leastNanos) continue;',
  ),
];
