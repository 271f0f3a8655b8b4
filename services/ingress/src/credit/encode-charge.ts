import { type CapPeriod, Charge } from '@tollgate/proto/ledger';
import { FRAME_HEADER_BYTES, MAX_PAYLOAD_BYTES, writeFrameHeader } from '../journal/frame.ts';
import type { ChargeRecord } from './types.ts';

/** What the hold adds to a charge's record. */
export interface HoldContext {
  sessionId: string;
  nanos: bigint;
  capPeriods: CapPeriod[];
}

const ROOM_FOR_HEADER = new Uint8Array(FRAME_HEADER_BYTES);

/** Reused for all charges, so that its buffer has grown to the size of a charge. */
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
  const frame = written(charge);
  if (frame.length > FRAME_HEADER_BYTES + MAX_PAYLOAD_BYTES)
    throw new RangeError('the record of a charge is too large');
  writeFrameHeader(frame);
  return frame;
}

function written(charge: Charge): Uint8Array {
  try {
    Charge.encode(charge, writer.raw(ROOM_FOR_HEADER));
  } catch (error) {
    writer.finish();
    throw error;
  }
  return writer.finish();
}
