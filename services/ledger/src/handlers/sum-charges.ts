import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument, rangeArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ChargeSum, SumChargesRequest, SumChargesResponse } from '@tollgate/proto/ledger';
import { readArchivedUntil } from '../store/reconciliation.ts';
import { type ChargeSumPage, type ChargeSumQuery, MAX_CHARGES, sumCharges } from '../store/sum-charges.ts';
import { placeFilter } from './key-scope.ts';

/** Maximum characters of a page, up to three bytes each: fewer than fit into a message. A sum of one charge fits. */
const MAX_CHARACTERS = 1_000_000;
/** Of the numbers of a line, and of the id and the figures of a sum, at most. */
const LINE_CHARACTERS = 120;

/** Sums the charges of a time range by what decided their price and by their key, some at a time. */
export function createSumChargesHandler({ pool }: { pool: Pool }): UnaryHandler<SumChargesRequest, SumChargesResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const range = rangeArgument(request.startMs, request.endMs);
    const after = optionalUuidArgument('cursor', request.cursor);
    const archivedUntilMs = after === undefined ? await readArchivedUntil(pool) : 0;
    if (range.startMs < archivedUntilMs) {
      const from = new Date(archivedUntilMs).toISOString().slice(0, 10);
      throw new RpcError('invalid_argument', `start_ms: charges before ${from} are archived`);
    }
    const withListRates = context.actor?.role === 'operator';
    const { sums, next } = await fittingPage(pool, {
      accountId,
      range,
      after,
      filter: placeFilter(context, request),
      withListRates,
    });
    return { sums, nextCursor: next ?? '' };
  };
}

/** A page that fits into a message: half as many charges as long as it does not. */
async function fittingPage(pool: Pool, query: Omit<ChargeSumQuery, 'limit'>): Promise<ChargeSumPage> {
  for (let limit = MAX_CHARGES; ; limit = Math.ceil(limit / 2)) {
    const page = await sumCharges(pool, { ...query, limit });
    if (limit === 1 || page.sums.reduce((sum, each) => sum + charactersOf(each), 0) <= MAX_CHARACTERS) return page;
  }
}

function charactersOf({ keyName, model, provider, priceVersion, tags, lines }: ChargeSum): number {
  const texts = [keyName, model, provider, priceVersion, ...Object.entries(tags).flat()];
  return texts.reduce((sum, text) => sum + text.length, (lines.length + 1) * LINE_CHARACTERS);
}
