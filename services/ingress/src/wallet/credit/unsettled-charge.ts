import { type CapPeriod, Charge } from '@tollgate/proto/ledger';
import { frameOf, MAX_PAYLOAD_BYTES } from '../journal/frame.ts';
import type { Segment } from '../journal/segment.ts';
import type { AccountCredit } from './account-credit.ts';
import type { Lease } from './lease.ts';
import type { UnsettledRecord } from './settle-sender.ts';
import type { ChargeRecord } from './types.ts';

/** A charge that the ledger has not acknowledged. Many may be kept for long, so it holds only what it needs. */
export class UnsettledCharge implements UnsettledRecord {
  readonly payload: Uint8Array;
  readonly account: AccountCredit;
  /** What it was held under. */
  readonly leases: readonly Lease[];
  readonly chargedNanos: bigint;
  readonly pendingSinceMs: number;
  segment: Segment | undefined;
  /** Called on the acknowledgement, where something waits for it. */
  onAcknowledged: (() => void) | undefined;
  readonly #settled: (charge: UnsettledCharge, disputed: boolean) => void;

  constructor(
    payload: Uint8Array,
    { account, leases }: { account: AccountCredit; leases: readonly Lease[] },
    { chargedNanos, pendingSinceMs }: { chargedNanos: bigint; pendingSinceMs: number },
    settled: (charge: UnsettledCharge, disputed: boolean) => void,
  ) {
    this.payload = payload;
    this.account = account;
    this.leases = leases;
    this.chargedNanos = chargedNanos;
    this.pendingSinceMs = pendingSinceMs;
    this.#settled = settled;
  }

  get urgent(): boolean {
    return this.onAcknowledged !== undefined;
  }

  settled(disputed: boolean): void {
    this.#settled(this, disputed);
  }

  /** Resolves when it is acknowledged, or after a timeout. Call it before the charge is sent. */
  waitUntilSettled(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.onAcknowledged = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** What the hold adds to a charge's record. */
export interface HoldContext {
  sessionId: string;
  nanos: bigint;
  /** The periods of a node's caps under which it was made. */
  capsOf(nodeId: string): readonly CapPeriod[];
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
  const charge: Charge = {
    ...record,
    sessionId: hold.sessionId,
    holdNanos: hold.nanos,
    caps: [...hold.capsOf(record.keyId)],
    nodes: record.nodes.map((node) => ({ ...node, caps: [...hold.capsOf(node.nodeId)] })),
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
