import { hash } from 'node:crypto';
import { timeOfId } from '@tollgate/common/ids';
import { Charge } from '@tollgate/proto/ledger';
import { chargeBytes, tagsText } from '../store/charge-bytes.ts';
import { checkCharge } from './check-charge.ts';

/** A charge of a settlement batch, with the checks that need no database. */
export interface SettlementRecord {
  /** With ids in lower case. */
  charge: Charge;
  /** As it was received, with its trace context. */
  received: Charge;
  /** The values of its columns, see chargeBytes; empty when it is malformed. */
  bytes: Uint8Array;
  /** Its tags as stored JSON; undefined when it has none or is malformed. */
  tags: string | undefined;
  /** Distinguishes a repeated record from another one under the same id. Hex digits. */
  contentHash: string;
  /** The time inside request_id, Unix milliseconds; 0 when it is malformed. */
  requestMs: number;
  /** Why it cannot be posted; undefined when these checks passed. */
  problem: string | undefined;
}

/** 128 bits suffice against accidental collisions; rows are kept for years. */
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
  const contentHash = hashOf(contentOf(bytes, charge.caps, tags));
  return { charge, received, bytes, tags, contentHash, requestMs: timeOfId(charge.requestId), problem };
}

/**
 * The content that distinguishes a charge from another one. Caps and tags add nothing where there are none. They cannot be
 * confused: a cap is a small number, and the text of tags begins with a brace. The rejected usage report, the upstream's own
 * cost, the failure with its attempts, and the ids of the client's session and agents are not part of it, because they move
 * no money; nor are the nodes above the key, which a request has for good.
 */
function contentOf(bytes: Uint8Array, caps: Charge['caps'], tags: string | undefined): Uint8Array {
  if (caps.length === 0 && tags === undefined) return bytes;
  return Buffer.concat([bytes, Buffer.from(caps), Buffer.from(tags ?? '')]);
}

function hashOf(content: Uint8Array): string {
  return hash('sha256', content, 'hex').slice(0, HASH_DIGITS);
}

/** Returns the same object if its ids are in lower case, as they nearly always are. */
function withLowerCaseIds(received: Charge): Charge {
  const requestId = received.requestId.toLowerCase();
  const accountId = received.accountId.toLowerCase();
  const sessionId = received.sessionId.toLowerCase();
  const keyId = received.keyId.toLowerCase();
  const same =
    requestId === received.requestId &&
    accountId === received.accountId &&
    sessionId === received.sessionId &&
    keyId === received.keyId &&
    received.nodes.every(({ nodeId }) => nodeId === nodeId.toLowerCase());
  if (same) return received;
  const nodes = received.nodes.map((node) => ({ ...node, nodeId: node.nodeId.toLowerCase() }));
  return { ...received, requestId, accountId, sessionId, keyId, nodes };
}
