import { BinaryWriter } from '@tollgate/common/postgres/binary-writer';
import { BINARY_COPY_HEADER, BINARY_COPY_TRAILER, copyIn } from '@tollgate/common/postgres/copy-in';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Posting } from '../settle/plan-settlement.ts';
import { CHARGE_COLUMNS_SENT } from './charge-bytes.ts';

const COLUMNS = [...CHARGE_COLUMNS_SENT, 'tags', 'reported_usage', 'content_hash', 'charged_nanos', 'settled_at_ms'];
const STATEMENT = `COPY ledger.charges (${COLUMNS.join(', ')}) FROM STDIN (FORMAT binary)`;

/** Enough for a batch of the usual size; it grows where it is not. */
const INITIAL_BYTES = 512 * 1_024;
const writer = new BinaryWriter(INITIAL_BYTES);

/** Records the charges of a batch, which must not be there yet. */
export async function insertCharges(client: PoolClient, postings: readonly Posting[], nowMs: bigint): Promise<void> {
  writer.raw(BINARY_COPY_HEADER);
  for (const { record, chargedNanos } of postings) {
    writer.int16(COLUMNS.length);
    writer.raw(record.bytes);
    if (record.tags === undefined) writer.null();
    else writer.jsonb(record.tags);
    if (record.charge.reportedUsage === '') writer.null();
    else writer.text(record.charge.reportedUsage);
    writer.bytea(record.contentHash);
    writer.int8(chargedNanos);
    writer.int8(nowMs);
  }
  writer.raw(BINARY_COPY_TRAILER);
  await copyIn(client, STATEMENT, writer.take());
}
