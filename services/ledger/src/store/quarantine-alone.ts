import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { Quarantining } from '../settle/plan-settlement.ts';
import { insertQuarantined } from './insert-quarantined.ts';

/** Keeps one record aside, in a transaction of its own. */
export function quarantineAlone(pool: Pool, item: Quarantining): Promise<void> {
  return inTransaction(pool, (client) => insertQuarantined(client, [item]));
}
