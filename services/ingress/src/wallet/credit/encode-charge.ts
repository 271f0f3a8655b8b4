import { type CapPeriod, Charge } from '@tollgate/proto/ledger';
import { frameOf, MAX_PAYLOAD_BYTES } from '../journal/frame.ts';
import type { ChargeRecord } from './types.ts';

/** What the hold adds to a charge's record. */
export interface HoldContext {
  sessionId: string;
  nanos: bigint;
  capPeriods: CapPeriod[];
}

/** Reused for all charges, so that its buffer has grown to the size of a charge. `finish` empties it, after an error too. */
const writer = Charge.encode(Charge.fromPartial({}));

/**
 * Encodes a charge once, as a journal frame whose payload is also sent to the ledger.
 *
 * @throws RangeError for a negative cost or a record that is too large, and what the encoder throws for numbers out of range
 */
export function encodeCharge(record: ChargeRecord, hold: HoldContext): Uint8Array {
  if (record.costNanos < 0n) throw new RangeError('the cost of a charge must not be negative');
  const { sessionId, nanos, capPeriods } = hold;
  const charge: Charge = {
    ...record,
    sessionId,
    holdNanos: nanos,
    caps: capPeriods,
    chargedNanos: 0n,
    settledAtMs: 0n,
  };
  const payload = encoded(charge);
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('the record of a charge is too large');
  return frameOf(payload);
}

function encoded(charge: Charge): Uint8Array {
  try {
    return Charge.encode(charge, writer).finish();
  } catch (error) {
    writer.finish();
    throw error;
  }
}
