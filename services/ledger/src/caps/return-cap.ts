import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { CapState } from '@tollgate/proto/ledger';
import { least } from '../least.ts';
import type { Cap } from '../settle/sum-caps.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { lockCap } from '../store/lock-cap.ts';
import { returnCapPart } from '../store/return-cap.ts';
import { capName } from './cap-name.ts';
import { capState, unknownCap } from './cap-state.ts';

/**
 * Takes back what a session has of a cap and does not need, up to the cumulative total named and never more than it still
 * covers.
 *
 * @returns 'fenced' when the session may not be used
 */
export function returnCap(
  pool: Pool,
  sessionId: string,
  cap: Cap,
  returnedTotal: bigint,
): Promise<CapState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    await lockBalance(client, cap.accountId);
    const counters = await lockCap(client, cap, sessionId);
    if (counters === 'fenced') return 'fenced';
    if (counters === undefined) return unknownCap(capName(cap), 0n, false);
    const amount = least(returnedTotal, counters.granted - counters.spent) - counters.returned;
    if (amount <= 0n) return capState(cap, counters, 0n, false);
    await returnCapPart(client, cap, sessionId, amount);
    const after = { ...counters, returned: counters.returned + amount, capLeased: counters.capLeased - amount };
    return capState(cap, after, 0n, false);
  });
}
