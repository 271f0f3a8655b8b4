import { failedWith, isGrpcError } from '@tollgate/common/errors';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { FocusRow } from '@tollgate/proto/api-types';
import type { LedgerServiceClient, SumChargesResponse } from '@tollgate/proto/ledger';
import { EXPORT_PAGE_ROWS } from '../export/export-limits.ts';
import { apiErrors } from '../http/api-error.ts';
import type { TimeRange } from '../paging/time-range.ts';
import { DaySums, type LineSum } from './day-sums.ts';
import { DAY_MS } from './focus-range.ts';
import { type FocusDay, focusRow } from './focus-row.ts';

export interface FocusSource {
  ledger: LedgerServiceClient;
  accountId: string;
  accountName: string;
  /** Empty: all. */
  projectId: string;
  ownerId: string;
  /** Whole days. */
  range: TimeRange;
  /** The parameter by which the range was given. */
  field: 'month' | 'start';
  /** Options of a call. */
  rpc: () => Promise<UnaryCallOptions>;
}

/**
 * The rows of a range, day by day, oldest first. The ledger sums some charges at a time; a day's sums are merged here. A page
 * may be empty, so that whoever reads can stop at any time.
 */
export async function* readFocus(source: FocusSource, sums = new DaySums()): AsyncGenerator<FocusRow[]> {
  const { accountId, accountName, range } = source;
  for (let dayMs = Number(range.startMs); dayMs < Number(range.endMs); dayMs += DAY_MS) {
    const day = { accountId, accountName, dayMs };
    for await (const isLast of addDay(source, dayMs, sums)) {
      if (isLast || sums.isFull) yield* pagesOf(sums.take(), day);
      else yield [];
    }
  }
}

/** Adds the charges of a day, a page at a time. */
async function* addDay(source: FocusSource, dayMs: number, sums: DaySums): AsyncGenerator<boolean> {
  let cursor = '';
  do {
    const page = await readPage(source, dayMs, cursor);
    for (const sum of page.sums) sums.add(sum);
    cursor = page.nextCursor;
    yield cursor === '';
  } while (cursor !== '');
}

async function readPage(
  { ledger, accountId, projectId, ownerId, rpc, field }: FocusSource,
  dayMs: number,
  cursor: string,
): Promise<SumChargesResponse> {
  const request = { accountId, projectId, ownerId, startMs: BigInt(dayMs), endMs: BigInt(dayMs + DAY_MS), cursor };
  try {
    return await unaryCall(ledger.sumCharges.bind(ledger), request, await rpc());
  } catch (error) {
    // The days are archived. The ledger names its own field.
    if (isGrpcError(error) && failedWith(error, 'invalid_argument'))
      throw apiErrors.invalid(field, error.details.replace(/^start_ms: /, ''));
    throw error;
  }
}

/** At least one page, even if it is empty. */
function* pagesOf(sums: readonly LineSum[], day: FocusDay): Generator<FocusRow[]> {
  let start = 0;
  do {
    yield sums.slice(start, start + EXPORT_PAGE_ROWS).map((sum) => focusRow(sum, day));
    start += EXPORT_PAGE_ROWS;
  } while (start < sums.length);
}
