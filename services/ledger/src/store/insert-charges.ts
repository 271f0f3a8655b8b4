import { copyIn } from '@tollgate/common/postgres/copy-in';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Posting } from '../settle/plan-settlement.ts';
import { CHARGE_TEXT_COLUMNS } from './charge-text.ts';

const STATEMENT = `COPY ledger.charges (${CHARGE_TEXT_COLUMNS}, content_hash, charged_nanos, settled_at_ms) FROM STDIN`;

/** Records the charges of a batch, which must not be there yet. */
export async function insertCharges(client: PoolClient, postings: readonly Posting[], nowMs: bigint): Promise<void> {
  let rows = '';
  for (const { record, chargedNanos } of postings) {
    rows += `${record.text}\t\\\\x${record.contentHash}\t${chargedNanos}\t${nowMs}\n`;
  }
  await copyIn(client, STATEMENT, rows);
}
