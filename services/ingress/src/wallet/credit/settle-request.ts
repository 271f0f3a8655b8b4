import { SettleRequest } from '@tollgate/proto/ledger';

/** Field 2 of SettleRequest, length-delimited. */
const CHARGES_TAG = 0x12;

/** A batch of encoded charges: the bytes in the journal are sent as they are. */
export interface EncodedSettleRequest {
  sequence: bigint;
  charges: readonly { payload: Uint8Array }[];
}

/** Encodes a SettleRequest from encoded charges. */
export function encodeSettleRequest(request: EncodedSettleRequest): Buffer {
  const head = SettleRequest.encode({ sequence: request.sequence, charges: [] }).finish();
  let size = head.length;
  for (const { payload } of request.charges) size += 1 + varintBytes(payload.length) + payload.length;
  const bytes = Buffer.allocUnsafe(size);
  bytes.set(head, 0);
  let at = head.length;
  for (const { payload } of request.charges) {
    bytes[at] = CHARGES_TAG;
    at = writeVarint(bytes, at + 1, payload.length);
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes;
}

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value >>> 7; rest !== 0; rest >>>= 7) count += 1;
  return count;
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    bytes[at] = (rest & 0x7f) | 0x80;
    at += 1;
    rest >>>= 7;
  }
  bytes[at] = rest;
  return at + 1;
}
