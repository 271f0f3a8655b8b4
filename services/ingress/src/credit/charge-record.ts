import { Charge } from '@tollgate/proto/ledger';
import { frameOf, MAX_PAYLOAD_BYTES } from '../journal/frame.ts';
import type { ChargeRecord } from './types.ts';

/**
 * Encodes a charge once, as a journal frame whose payload also goes to the ledger.
 *
 * @throws RangeError for a negative cost or a record too large, and what the encoder throws for a number out of range
 */
export function encodeCharge(record: ChargeRecord, sessionId: string, holdNanos: bigint): Uint8Array {
  if (record.costNanos < 0n) throw new RangeError('the cost of a charge must not be negative');
  const charge: Charge = { ...record, sessionId, holdNanos, chargedNanos: 0n, settledAtMs: 0n };
  const payload = Charge.encode(charge).finish();
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('the record of a charge is too large');
  return frameOf(payload);
}
