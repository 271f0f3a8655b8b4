import { hash } from 'node:crypto';
import { timeOfId } from '@tollgate/common/ids';
import { Charge } from '@tollgate/proto/ledger';
import { chargeBytes } from '../store/charge-bytes.ts';
import { checkCharge } from './check-charge.ts';

/** A charge as it came in a settlement batch, checked as far as it can be by itself. */
export interface SettlementRecord {
  /** With ids in lower case. */
  charge: Charge;
  /** As it came, for its trace context. */
  received: Charge;
  /** As it is stored, see chargeBytes; empty when it is malformed. */
  bytes: Uint8Array;
  /** Tells a repeated record from another one under the same id. Hex digits. */
  contentHash: string;
  /** The time inside request_id, Unix milliseconds; 0 when it is malformed. */
  requestMs: number;
  /** Why it cannot be posted; undefined when it can, as far as it tells. */
  fault: string | undefined;
}

/** 128 bits: enough against accidents, which is what this guards against; rows are kept for years. */
const HASH_DIGITS = 32;
const NO_BYTES = new Uint8Array();

export function settlementRecord(received: Charge): SettlementRecord {
  const charge = withLowerCaseIds(received);
  const fault = checkCharge(charge);
  if (fault !== undefined) {
    const content = Charge.encode({ ...charge, trace: undefined }).finish();
    return { charge, received, bytes: NO_BYTES, contentHash: hashOf(content), requestMs: 0, fault };
  }
  const bytes = chargeBytes(charge);
  // The caps are not stored, but another charge is another charge.
  const contentHash = hashOf(charge.caps.length === 0 ? bytes : Buffer.concat([bytes, Buffer.from(charge.caps)]));
  return { charge, received, bytes, contentHash, requestMs: timeOfId(charge.requestId), fault };
}

function hashOf(content: Uint8Array): string {
  return hash('sha256', content, 'hex').slice(0, HASH_DIGITS);
}

/** The same charge where its ids are in lower case, as they nearly always are. */
function withLowerCaseIds(received: Charge): Charge {
  const requestId = received.requestId.toLowerCase();
  const accountId = received.accountId.toLowerCase();
  const sessionId = received.sessionId.toLowerCase();
  const keyId = received.keyId.toLowerCase();
  const same =
    requestId === received.requestId &&
    accountId === received.accountId &&
    sessionId === received.sessionId &&
    keyId === received.keyId;
  return same ? received : { ...received, requestId, accountId, sessionId, keyId };
}
