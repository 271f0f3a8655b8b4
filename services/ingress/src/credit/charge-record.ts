import { type CapPeriod, Charge } from '@tollgate/proto/ledger';
import { frameOf, MAX_PAYLOAD_BYTES } from '../journal/frame.ts';
import type { ChargeRecord } from './types.ts';

/** What the hold adds to the record of a charge. */
export interface HeldUnder {
  sessionId: string;
  nanos: bigint;
  capPeriods: CapPeriod[];
}

/**
 * Encodes a charge once, as a journal frame whose payload also goes to the ledger.
 *
 * @throws RangeError for a negative cost or a record too large, and what the encoder throws for a number out of range
 */
export function encodeCharge(record: ChargeRecord, held: HeldUnder): Uint8Array {
  if (record.costNanos < 0n) throw new RangeError('the cost of a charge must not be negative');
  const { sessionId, nanos, capPeriods } = held;
  const charge: Charge = {
    ...record,
    sessionId,
    holdNanos: nanos,
    caps: capPeriods,
    chargedNanos: 0n,
    settledAtMs: 0n,
  };
  const payload = Charge.encode(charge).finish();
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('the record of a charge is too large');
  return frameOf(payload);
}
