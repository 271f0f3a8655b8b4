import { createHash } from 'node:crypto';
import { timeOfId } from '@tollgate/common/ids';
import { Charge } from '@tollgate/proto/ledger';
import { checkCharge } from './check-charge.ts';

/** A charge as it came in a settlement batch, checked as far as it can be by itself. */
export interface SettlementRecord {
  /** With ids in lower case and without what is not content. */
  charge: Charge;
  /** As it came, for its trace context. */
  received: Charge;
  /** Tells a repeated record from another one under the same id. */
  contentHash: Buffer;
  /** The time inside request_id, Unix milliseconds; 0 when it is malformed. */
  requestMs: number;
  /** Why it cannot be posted; undefined when it can, as far as it tells. */
  fault: string | undefined;
}

/** 128 bits: enough against accidents, which is what this guards against; rows are kept for years. */
const HASH_BYTES = 16;

export function settlementRecord(received: Charge): SettlementRecord {
  const charge: Charge = {
    ...received,
    requestId: received.requestId.toLowerCase(),
    accountId: received.accountId.toLowerCase(),
    sessionId: received.sessionId.toLowerCase(),
    keyId: received.keyId.toLowerCase(),
    chargedNanos: 0n,
    settledAtMs: 0n,
    trace: undefined,
  };
  const fault = checkCharge(charge);
  const contentHash = createHash('sha256').update(Charge.encode(charge).finish()).digest().subarray(0, HASH_BYTES);
  const requestMs = fault === undefined ? timeOfId(charge.requestId) : 0;
  return { charge, received, contentHash, requestMs, fault };
}
