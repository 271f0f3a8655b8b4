import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { type AuthServiceClient, Exported } from '@tollgate/proto/auth';
import { ChargeStatus, type LedgerServiceClient, UsageInterval } from '@tollgate/proto/ledger';
import { EXPORT_LIMITS, EXPORT_PAGE_ROWS } from '../../export/export-limits.ts';
import { allPages } from '../../export/pages.ts';
import { recordExport } from '../../export/record-export.ts';
import { requestCsv, requestToJson } from '../../export/request-lines.ts';
import type { ExportSender } from '../../export/send-export.ts';
import { apiErrors } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { type RequestSelection, readRequestPage, selectRequests } from '../../pages/request-page.ts';
import { daysOf } from '../../pages/time-range.ts';
import { totalOf } from '../../usage/sums.ts';

/** Longer ranges are counted in whole days. */
const HOURLY_MS = 31n * 86_400_000n;

/** Requests of a time range as CSV, or as one JSON object a line, streamed. */
export function createExportRequestsHandler({
  auth,
  ledger,
  exports,
}: {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  exports: ExportSender;
}): Handler<'GET /accounts/{account_id}/requests/export'> {
  return async ({ path, query, role, rpc, ...call }) => {
    const { account_id: accountId } = path;
    const selection = selectRequests(accountId, query);
    const readPage = async (after: string) =>
      readRequestPage(ledger, selection, { after, limit: EXPORT_PAGE_ROWS }, await rpc());
    const csv = requestCsv(role);
    await exports.send({ ...call, accountId }, async () => {
      await refuseTooMany(ledger, selection, await rpc());
      await recordExport(auth, { accountId, exported: Exported.REQUESTS, query }, await rpc());
      return {
        fileName: `requests-${daysOf(selection.range, query.time_zone)}`,
        format: query.format,
        pages: allPages(readPage),
        header: csv.header,
        toLine: query.format === 'csv' ? csv.toLine : requestToJson,
      };
    });
  };
}

/** Refuses what is too much before it starts, where the roll-ups say how much it is. */
async function refuseTooMany(
  ledger: LedgerServiceClient,
  { accountId, range, model, keyId, session, charges }: RequestSelection,
  options: UnaryCallOptions,
): Promise<void> {
  if (charges === undefined || charges.status !== ChargeStatus.UNSPECIFIED || charges.tagName !== '' || session !== '')
    return;
  const usage = {
    accountId,
    ...range,
    interval: range.endMs - range.startMs > HOURLY_MS ? UsageInterval.DAY : UsageInterval.HOUR,
    groupByModel: model !== '',
    groupByKey: false,
    keyIds: keyId === '' ? [] : [keyId],
    totals: true,
  };
  const { rows } = await unaryCall(ledger.getUsage.bind(ledger), usage, options);
  const { requests } = totalOf(model === '' ? rows : rows.filter((row) => row.model === model));
  if (requests > EXPORT_LIMITS.maxRows) {
    throw apiErrors.invalid(
      'start',
      `the range has ${requests} requests, and an export at most ${EXPORT_LIMITS.maxRows}: choose a shorter range, a model or a key`,
    );
  }
}
