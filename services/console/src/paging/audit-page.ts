import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuditEntry, ListAuditRequest, ListAuditResponse } from '@tollgate/proto/audit';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { AuditFilters } from '@tollgate/proto/console/audit';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { PaymentsServiceClient } from '@tollgate/proto/payments';
import { required } from '../required.ts';
import { type MergedPage, mergePages, type SourcePage } from './merge.ts';
import { MAX_DAYS, readRange } from './time-range.ts';

export interface AuditSources {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
  /** Undefined: payments are not set up. */
  payments: PaymentsServiceClient | undefined;
}

type Request = Omit<ListAuditRequest, 'limit' | 'beforeEntryId'>;

/** What a query selects. */
export function auditRequest(accountId: string | undefined, given: AuditFilters | undefined): Request {
  const { range, actorId, targetId, action } = required(given);
  return {
    accountId: accountId ?? '',
    ...readRange(required(range), MAX_DAYS.others),
    actorId: actorId ?? '',
    targetId: targetId ?? '',
    action: action ?? '',
  };
}

/** The entries of auth, the ledger and payments after an id, in one list, newest first. */
export async function readAuditPage(
  { auth, ledger, payments }: AuditSources,
  selected: Request,
  { after, limit }: { after: string; limit: number },
  options: UnaryCallOptions,
): Promise<MergedPage<AuditEntry>> {
  const request = { ...selected, limit, beforeEntryId: after };
  const pages = await Promise.all([
    unaryCall(auth.listAudit.bind(auth), request, options),
    unaryCall(ledger.listAudit.bind(ledger), request, options),
    ...(payments === undefined ? [] : [unaryCall(payments.listAudit.bind(payments), request, options)]),
  ]);
  return mergePages(pages.map(toSourcePage), limit);
}

function toSourcePage({ entries, more }: ListAuditResponse): SourcePage<AuditEntry> {
  return {
    items: entries.map((item) => ({ id: item.entryId, item })),
    next: more ? (entries.at(-1)?.entryId ?? '') : '',
  };
}
