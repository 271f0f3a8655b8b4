import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeCharge } from '../../src/wallet/credit/unsettled-charge.ts';
import { SEGMENT_HEADER } from '../../src/wallet/journal/frame.ts';
import { record } from './credit-fixture.ts';

export interface EarlierJournal {
  folder: string;
  accountId: string;
  sessionId: string;
  segments: number;
  chargesPerSegment: number;
}

/** Writes the journal of an earlier process. Returns its request ids, oldest first; each cost one nano-dollar. */
export async function writeEarlierJournal(journal: EarlierJournal): Promise<string[]> {
  const { folder, accountId, sessionId } = journal;
  const requestIds: string[] = [];
  for (let number = 1; number <= journal.segments; number += 1) {
    const frames = Array.from({ length: journal.chargesPerSegment }, () => {
      const charge = record(accountId, 1n);
      requestIds.push(charge.requestId);
      return encodeCharge(charge, { sessionId, nanos: 10n, capsOf: () => [] });
    });
    await writeFile(join(folder, `${sessionId}-${number}.journal`), Buffer.concat([SEGMENT_HEADER, ...frames]));
  }
  return requestIds;
}
