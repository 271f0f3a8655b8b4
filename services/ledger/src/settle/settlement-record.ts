import { hash } from 'node:crypto';
import { timeOfId } from '@tollgate/common/ids';
import { Charge } from '@tollgate/proto/ledger';
import { chargeBytes, tagsText } from '../store/charge-bytes.ts';
import { checkCharge } from './check-charge.ts';

/** A charge as it came in a settlement batch, checked as far as it can be by itself. */
export interface SettlementRecord {
  /** With ids in lower case. */
  charge: Charge;
  /** As it came, for its trace context. */
  received: Charge;
  /** As it is stored, see chargeBytes; empty when it is malformed. */
  bytes: Uint8Array;
  /** Its tags as they are stored, JSON; undefined when it has none or is malformed. */
  tags: string | undefined;
  /** Tells a repeated record from another one under the same id. Hex digits. */
  contentHash: string;
  /** The time inside request_id, Unix milliseconds; 0 when it is malformed. */
  requestMs: number;
  /** Why it cannot be posted; undefined when it can, as far as it tells. */
  problem: string | undefined;
}

/** 128 bits: enough against accidents, which is what this guards against; rows are kept for years. */
const HASH_DIGITS = 32;
const NO_BYTES = new Uint8Array();

export function settlementRecord(received: Charge): SettlementRecord {
  const charge = withLowerCaseIds(received);
  const problem = checkCharge(charge);
  if (problem !== undefined) {
    const content = Charge.encode({ ...charge, trace: undefined }).finish();
    return { charge, received, bytes: NO_BYTES, tags: undefined, contentHash: hashOf(content), requestMs: 0, problem };
  }
  const bytes = chargeBytes(charge);
  const tags = tagsText(charge.tags);
  const contentHash = hashOf(wholeContent(bytes, charge.caps, tags));
  return { charge, received, bytes, tags, contentHash, requestMs: timeOfId(charge.requestId), problem };
}

/**
 * All that makes a charge another one. What charges came to have later adds nothing for those without it, whose hashes stay
 * as they are in the table. A cap is a small number, and the text of tags begins with a brace. The usage that was not believed
 * is left out: it moves no money, and a ledger of the version before stores the same charge without it, which must not be
 * disputed when the charge is sent again after the upgrade.
 */
function wholeContent(bytes: Uint8Array, caps: Charge['caps'], tags: string | undefined): Uint8Array {
  if (caps.length === 0 && tags === undefined) return bytes;
  return Buffer.concat([bytes, Buffer.from(caps), Buffer.from(tags ?? '')]);
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
