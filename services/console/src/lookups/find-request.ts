import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { isUuid } from '@tollgate/common/ids';
import type { GetRefusalRequest, LedgerServiceClient } from '@tollgate/proto/ledger';
import type { LedgerRequest } from '../requests/bills.ts';
import { unlessMissing } from './unless-missing.ts';

/** A request id or a trace id, as the ledger takes it. */
type By = NonNullable<GetRefusalRequest['by']>;

/** What an id may be. Both kinds may be UUIDs: request ids are of version 7, trace ids of this gateway of version 4. */
export function idsIn(text: string): By[] {
  const lower = text.toLowerCase();
  const traceId = lower.replaceAll('-', '');
  const byTrace: By[] = /^[0-9a-f]{32}$/.test(traceId) ? [{ $case: 'traceId', value: traceId }] : [];
  if (!isUuid(lower)) return byTrace;
  const byRequest: By = { $case: 'requestId', value: lower };
  return lower[14] === '7' ? [byRequest, ...byTrace] : [...byTrace, byRequest];
}

export interface FindRequestOptions {
  ledger: LedgerServiceClient;
  accountId: string;
  /** How long to wait for a charge that is not committed yet. */
  waitMs: number;
  rpc: UnaryCallOptions;
}

/** The request with an id, charged or refused; undefined if there is none. */
export async function findRequest(text: string, options: FindRequestOptions): Promise<LedgerRequest | undefined> {
  const ids = idsIn(text);
  // Without a wait first: an id of the second kind is not found later for that.
  for (const by of ids) {
    const found = await find(by, { ...options, waitMs: 0 });
    if (found !== undefined) return found;
  }
  const [likely] = ids;
  return options.waitMs === 0 || likely === undefined ? undefined : find(likely, options);
}

async function find(
  by: By,
  { ledger, accountId, waitMs, rpc }: FindRequestOptions,
): Promise<LedgerRequest | undefined> {
  const findCharge = unaryCall(ledger.getCharge.bind(ledger), { accountId, by, waitMs }, rpc).then(
    (charge): LedgerRequest => ({ kind: 'charge', charge }),
  );
  const findRefusal = () =>
    unaryCall(ledger.getRefusal.bind(ledger), { accountId, by }, rpc).then(
      (refusal): LedgerRequest => ({ kind: 'refusal', refusal }),
    );
  if (waitMs > 0) return (await unlessMissing(findCharge)) ?? unlessMissing(findRefusal());
  const [charge, refusal] = await Promise.all([unlessMissing(findCharge), unlessMissing(findRefusal())]);
  return charge ?? refusal;
}
