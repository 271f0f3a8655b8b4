import { hash } from 'node:crypto';
import { Charge } from '@tollgate/proto/ledger';
import type { SettlementRecord } from './settlement-record.ts';

/** Whether a charge stored under this content hash is the record itself, settled once more. */
export function isSameContent(known: string, record: SettlementRecord): boolean {
  return known === record.contentHash || known === firstFormHash(record.charge).slice(0, known.length);
}

/** The content hash as the first form of the ledger took it, of the message: an ingress may send again across an upgrade. */
function firstFormHash(charge: Charge): string {
  const content = { ...charge, chargedNanos: 0n, settledAtMs: 0n, trace: undefined, reportedUsage: '' };
  return hash('sha256', Charge.encode(content).finish(), 'hex');
}
