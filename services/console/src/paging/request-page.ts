import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { type RequestFilters, RequestStatus } from '@tollgate/proto/console/requests';
import {
  ChargeStatus,
  type LedgerServiceClient,
  ListChargesRequest,
  type ListChargesResponse,
  ListRefusalsRequest,
  type ListRefusalsResponse,
} from '@tollgate/proto/ledger';
import { apiErrors } from '../http/api-error.ts';
import type { LedgerRequest } from '../requests/bills.ts';
import { required } from '../required.ts';
import { type MergedPage, mergePages, type SourcePage } from './merge.ts';
import { MAX_DAYS, readRange, type TimeRange } from './time-range.ts';

const CHARGE_STATUSES = {
  [RequestStatus.UNSPECIFIED]: ChargeStatus.UNSPECIFIED,
  [RequestStatus.COMPLETED]: ChargeStatus.COMPLETED,
  [RequestStatus.CANCELLED]: ChargeStatus.CANCELLED,
  [RequestStatus.FAILED]: ChargeStatus.FAILED,
} as const;

/** Which requests of an account are listed. */
export interface RequestSelection {
  accountId: string;
  range: TimeRange;
  /** Empty: all. Likewise below. */
  model: string;
  keyId: string;
  projectId: string;
  ownerId: string;
  session: string;
  /** Undefined: none are listed. UNSPECIFIED: of any status. */
  charges: { status: ChargeStatus; tagName: string; tagValue: string } | undefined;
  refusals: boolean;
}

/** What a query selects. Refused requests carry no tags, so a tag selects charges only. */
export function selectRequests(accountId: string, filters: RequestFilters | undefined): RequestSelection {
  const { range, model, keyId, projectId, ownerId, status, tag, session } = required(filters);
  const [tagName, tagValue] = tag === undefined ? ['', ''] : readTag(tag);
  return {
    accountId,
    range: readRange(required(range), MAX_DAYS.others),
    model: model ?? '',
    keyId: keyId ?? '',
    projectId: projectId ?? '',
    ownerId: ownerId ?? '',
    session: session ?? '',
    charges: status === RequestStatus.REFUSED ? undefined : { status: CHARGE_STATUSES[status], tagName, tagValue },
    refusals: tag === undefined && (status === RequestStatus.UNSPECIFIED || status === RequestStatus.REFUSED),
  };
}

/** Reads `name=value`, or `name:value`. No name of a tag has an equals sign, so the first one ends it. */
function readTag(tag: string): [string, string] {
  const equals = tag.indexOf('=');
  const end = equals === -1 ? tag.indexOf(':') : equals;
  if (end < 1) throw apiErrors.invalid('tag', 'must be the name and the value of a tag, such as team=search');
  return [tag.slice(0, end), tag.slice(end + 1)];
}

/** Charged and refused requests after an id, in one list, newest first. */
export async function readRequestPage(
  ledger: LedgerServiceClient,
  selection: RequestSelection,
  { after, limit }: { after: string; limit: number },
  options: UnaryCallOptions,
): Promise<MergedPage<LedgerRequest>> {
  const common = {
    accountId: selection.accountId,
    ...selection.range,
    limit,
    cursor: after,
    model: selection.model,
    keyId: selection.keyId,
    projectId: selection.projectId,
    ownerId: selection.ownerId,
    clientSessionId: selection.session,
  };
  const { charges, refusals } = selection;
  const pages: Promise<SourcePage<LedgerRequest>>[] = [];
  if (charges !== undefined) {
    const request = ListChargesRequest.fromPartial({ ...common, ...charges });
    pages.push(unaryCall(ledger.listCharges.bind(ledger), request, options).then(chargePage));
  }
  if (refusals) {
    const request = ListRefusalsRequest.fromPartial(common);
    pages.push(unaryCall(ledger.listRefusals.bind(ledger), request, options).then(refusalPage));
  }
  return mergePages(await Promise.all(pages), limit);
}

function chargePage({ charges, nextCursor }: ListChargesResponse): SourcePage<LedgerRequest> {
  return {
    items: charges.map((charge) => ({ id: charge.requestId, item: { kind: 'charge', charge } })),
    next: nextCursor,
  };
}

function refusalPage({ refusals, nextCursor }: ListRefusalsResponse): SourcePage<LedgerRequest> {
  return {
    items: refusals.map((refusal) => ({ id: refusal.requestId, item: { kind: 'refusal', refusal } })),
    next: nextCursor,
  };
}
