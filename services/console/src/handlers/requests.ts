import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { timeOfId } from '@tollgate/common/ids';
import { Exported } from '@tollgate/proto/auth';
import { ExportFormat } from '@tollgate/proto/console/queries';
import { ChargeStatus, GetUsageRequest, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import { EXPORT_LIMITS, EXPORT_PAGE_ROWS } from '../export/export-limits.ts';
import { allPages } from '../export/pages.ts';
import { recordExport } from '../export/record-export.ts';
import { requestCsv, requestToJson } from '../export/request-lines.ts';
import { ApiError, apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { findRequest } from '../lookups/find-request.ts';
import { PendingLookups } from '../lookups/pending-lookups.ts';
import { nameRefusedKeys } from '../lookups/refused-keys.ts';
import { readPageQuery } from '../paging/cursor.ts';
import { type RequestSelection, readRequestPage, selectRequests } from '../paging/request-page.ts';
import { daysOf } from '../paging/time-range.ts';
import { billOf, rowOf } from '../requests/bills.ts';
import { totalOf } from '../usage/sums.ts';

/** Longer ranges are counted in whole days. */
const HOURLY_MS = 31n * 86_400_000n;

/** Handlers of requests, charged and refused. */
export function requestHandlers({ auth, ledger, exports }: Dependencies) {
  const lookups = new PendingLookups();
  return {
    listRequests: async ({ accountId, filters, page }, { role, rpc }) => {
      const options = await rpc();
      const selection = selectRequests(accountId, filters);
      const { items, next } = await readRequestPage(ledger, selection, readPageQuery(page), options);
      const requests = await nameRefusedKeys(items, { auth, accountId, role, rpc: options });
      const searchedToMs = next === '' ? undefined : BigInt(timeOfId(next));
      return { data: requests.map(rowOf), nextCursor: next, searchedToMs };
    },

    exportRequests: async ({ accountId, filters, format }, { role, rpc, ...call }) => {
      const selection = selectRequests(accountId, filters);
      const readPage = async (after: string) =>
        readRequestPage(ledger, selection, { after, limit: EXPORT_PAGE_ROWS }, await rpc());
      const csv = requestCsv(role);
      await exports.send({ ...call, accountId }, async () => {
        await refuseTooMany(ledger, selection, await rpc());
        const recorded = { accountId, exported: Exported.REQUESTS, query: call.response.req.query };
        await recordExport(auth, recorded, await rpc());
        return {
          fileName: `requests-${daysOf(selection.range, filters?.range?.timeZone)}`,
          format,
          pages: allPages(readPage),
          header: csv.header,
          toLine: format === ExportFormat.CSV ? csv.toLine : requestToJson,
        };
      });
      return undefined;
    },

    // Waits a moment for the record of a young one.
    getRequest: async ({ accountId, id }, { role, rpc }) => {
      const options = await rpc();
      const found = await lookups.run(accountId, id, Date.now(), (waitMs) =>
        findRequest(id, { ledger, accountId, waitMs, rpc: options }),
      );
      const known = found === undefined ? [] : [found];
      const [request] = await nameRefusedKeys(known, { auth, accountId, role, rpc: options });
      if (request !== undefined) return billOf(request);
      throw new ApiError(
        'not_found',
        'No request of this account has this request id or trace id. Refused requests are kept for 7 days.',
      );
    },
  } satisfies Partial<Handlers>;
}

/** Refuses what is too much before it starts, where the roll-ups say how much it is. */
async function refuseTooMany(
  ledger: LedgerServiceClient,
  { accountId, range, model, keyId, projectId, ownerId, session, charges }: RequestSelection,
  options: UnaryCallOptions,
): Promise<void> {
  if (charges === undefined || charges.status !== ChargeStatus.UNSPECIFIED || charges.tagName !== '' || session !== '')
    return;
  const usage = GetUsageRequest.fromPartial({
    accountId,
    ...range,
    interval: range.endMs - range.startMs > HOURLY_MS ? UsageInterval.DAY : UsageInterval.HOUR,
    groupByModel: model !== '',
    keyIds: keyId === '' ? [] : [keyId],
    projectIds: projectId === '' ? [] : [projectId],
    ownerIds: ownerId === '' ? [] : [ownerId],
    totals: true,
  });
  const { rows } = await unaryCall(ledger.getUsage.bind(ledger), usage, options);
  const { requests } = totalOf(model === '' ? rows : rows.filter((row) => row.model === model));
  if (requests > EXPORT_LIMITS.maxRows) {
    throw apiErrors.invalid(
      'start',
      `the range has ${requests} requests, and an export at most ${EXPORT_LIMITS.maxRows}: choose a shorter range, a model or a key`,
    );
  }
}
