import { listAudit } from '@tollgate/common/audit/audit-log';
import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { actorWith } from '@tollgate/common/testing/actors';
import { recordRefusals } from '@tollgate/ledger/refusals/record-refusals';
import { accountsWithLosses, readAccountBalances, readPlainBalances } from '@tollgate/ledger/store/account-balances';
import { readCapUsage } from '@tollgate/ledger/store/cap-usage';
import { capsAt } from '@tollgate/ledger/store/ceilings';
import { listEventsAfter } from '@tollgate/ledger/store/events';
import { findChargeInAccounts, findRefusalInAll } from '@tollgate/ledger/store/find-request';
import { listFindings } from '@tollgate/ledger/store/findings';
import { LateIndexes } from '@tollgate/ledger/store/late-indexes';
import { listOpenSessions } from '@tollgate/ledger/store/open-sessions';
import { sumProviderUsage } from '@tollgate/ledger/store/provider-usage';
import { readArchivedUntil } from '@tollgate/ledger/store/reconciliation';
import { countRefusals, countUnknownKeys } from '@tollgate/ledger/store/refusal-counts';
import { findRefusal, listRefusals } from '@tollgate/ledger/store/refusals';
import { searchCharges } from '@tollgate/ledger/store/search-charges';
import { MAX_CHARGES, sumCharges } from '@tollgate/ledger/store/sum-charges';
import { DAY_MS, monthStart } from '@tollgate/ledger/store/time';
import { countQuarantined, readTotals } from '@tollgate/ledger/store/totals';
import { sumUsageOfAccounts } from '@tollgate/ledger/store/usage';
import { insertVouchers, listVouchers, revokeVoucher } from '@tollgate/ledger/store/vouchers';
import { accountId, type History, KEY, PROJECT } from '@tollgate/ledger/testing/load-history';
import { hashOfCode } from '@tollgate/ledger/vouchers/code';
import { redeemVoucher } from '@tollgate/ledger/vouchers/redeem';
import type { Refusal } from '@tollgate/proto/ledger';

/** An operator in the audit log. */
export const ACTOR = actorWith({ id: 'plans' });

/** The page of an account's charges before one, with each filter, with and without the late indexes. */
export async function searchWithFilters(pool: Pool, account: string, history: History, before: string): Promise<void> {
  const range = { startMs: history.endMs - 31 * DAY_MS, endMs: history.endMs };
  const filters = [
    {},
    { model: 'model-1', status: 'completed' as const, keyIds: [KEY] },
    { model: 'none' },
    { keyIds: [newId()] },
    { keysAndBelow: [KEY, newId()] },
    { projectIds: [account] },
    { ownerIds: [PROJECT] },
    { projectIds: [newId()], ownerIds: [newId()] },
    { status: 'failed' as const },
    { tag: { name: 'team', value: 'search' } },
    { clientSessionId: 'session-4' },
    { clientSessionId: 'none' },
  ];
  for (const indexed of [true, false]) {
    for (const filter of filters) {
      await searchCharges(pool, { accountId: account, range, before, limit: 100, filter, indexed });
    }
  }
}

/** Pages of the sums of an account's charges, over months and of one day. */
export async function sumAccount(pool: Pool, account: string, history: History): Promise<void> {
  await readArchivedUntil(pool);
  for (const days of [31, 1]) {
    const range = { startMs: history.endMs - days * DAY_MS, endMs: history.endMs };
    const filter = { projectIds: [account], ownerIds: [PROJECT] };
    const query = { accountId: account, range, filter, limit: MAX_CHARGES, withListRates: true };
    const { next } = await sumCharges(pool, { ...query, after: undefined });
    await sumCharges(pool, { ...query, after: next });
  }
}

/** What keys of an account spent of their caps. */
export async function lookUpCaps(pool: Pool, account: string, history: History): Promise<void> {
  await readCapUsage(
    pool,
    account,
    [KEY, PROJECT, newId()].flatMap((nodeId) => capsAt(account, { nodeId, scope: 'project' }, history.endMs)),
  );
}

/** Records refusals of an account that has as many as are kept, and lists them. */
export async function exerciseRefusals(pool: Pool, account: string, history: History): Promise<void> {
  const refusals = Array.from({ length: 20 }, () => buildRefusal(account));
  const dropped = [{ accountId: account, reason: 'rate_limit', count: 3n }];
  await recordRefusals(pool, { refusals, dropped, unknownKeys: 2n });
  const range = { startMs: history.endMs - 366 * DAY_MS, endMs: Date.now() + 1_000 };
  const page = await listRefusals(pool, account, range, {}, undefined, 100);
  const last = page.at(-1);
  if (last === undefined || page.length < 100) throw new Error('the account has too few refusals');
  const filters = [
    { keyIds: [KEY] },
    { keysAndBelow: [KEY] },
    { projectIds: [account] },
    { ownerIds: [PROJECT] },
    { model: 'none' },
    { reason: 'none' },
    { clientSessionId: 'none' },
  ];
  for (const filter of filters) await listRefusals(pool, account, range, filter, last.requestId, 100);
  for (const filter of [{}, { keysAndBelow: [KEY] }]) {
    await findRefusal(pool, account, { by: 'request_id', id: last.requestId }, filter);
    await findRefusal(pool, account, { by: 'trace_id', id: last.traceId }, filter);
    await countRefusals(pool, account, range, { ...filter, projectIds: [account], ownerIds: [PROJECT] });
  }
  for (const name of [
    { by: 'request_id', id: last.requestId },
    { by: 'trace_id', id: last.traceId },
  ] as const) {
    await findRefusalInAll(pool, name);
    await findChargeInAccounts(pool, name, { after: undefined, limit: 10_000 });
  }
}

function buildRefusal(account: string): Refusal {
  return {
    requestId: newId(),
    traceId: newId().replaceAll('-', ''),
    accountId: account,
    keyId: KEY,
    keyName: 'key',
    model: 'model-1',
    protocolIn: 'openai-chat',
    httpStatus: 429,
    errorType: 'rate_limited',
    reason: 'rate_limit',
    message: 'plans',
    refusedAtMs: BigInt(Date.now()),
    clientSessionId: 'session-4',
    nodes: [
      { nodeId: account, scope: 'project', name: 'default', caps: [] },
      { nodeId: PROJECT, scope: 'member', name: 'owner', caps: [] },
    ],
    limit: { scope: 'project', id: PROJECT, name: 'project', window: 'month', projectId: PROJECT },
  };
}

/** What the console shows to operators: the state of the ledger, and who changed what. */
export async function exerciseOperatorLists(pool: Pool, history: History): Promise<void> {
  const totals = await readTotals(pool);
  if (totals.loss === 0n) throw new Error('no account has a loss');
  const losses = await accountsWithLosses(pool, 100);
  const page = Array.from({ length: 100 }, (_, number) => accountId(number));
  for (const accounts of [losses, page]) {
    const charged = monthStart(history.endMs);
    await readAccountBalances(pool, accounts, { charged, recent: charged - 7 * DAY_MS });
    await readPlainBalances(pool, accounts);
  }
  await sumUsageOfAccounts(
    pool,
    { startMs: history.endMs - 31 * DAY_MS, endMs: history.endMs },
    { after: undefined, limit: 100 },
  );
  await sumProviderUsage(pool, {
    accountIds: page.slice(0, 20),
    provider: 'openai',
    dayMs: history.endMs - (history.endMs % DAY_MS),
  });
  await exerciseVouchers(pool);
  await listFindings(pool, 100);
  await countQuarantined(pool);
  await listOpenSessions(pool, 1_000);
  await countUnknownKeys(pool, history.endMs - DAY_MS);
  await new LateIndexes(pool).exist();
  const [event] = await listEventsAfter(pool, undefined, 1);
  await listEventsAfter(pool, event?.eventId, 1_000);
  const any = { accountId: undefined, actorId: undefined, targetId: undefined, action: undefined, beforeId: undefined };
  const query = { ...any, range: { startMs: history.startMs, endMs: Date.now() + 1_000 }, limit: 101 };
  const [, entry] = await listAudit('ledger', pool, query);
  if (entry === undefined) throw new Error('the audit log is empty');
  const filters = [
    { beforeId: entry.entryId },
    { accountId: history.largest },
    { actorId: 'person-1' },
    { actorId: ACTOR.id },
    { targetId: 'target-1' },
    { targetId: 'none' },
    { action: 'deposit' },
    { action: 'ledger' },
    { action: 'ledger.reconcile' },
    { action: 'none' },
    { accountId: history.largest, action: 'ledger.reconcile' },
  ];
  for (const filter of filters) await listAudit('ledger', pool, { ...query, ...filter });
}

async function exerciseVouchers(pool: Pool): Promise<void> {
  const code = newId();
  const voucher = { voucherId: newId(), codeSha256: hashOfCode(code), lastFour: code.slice(-4) };
  const terms = { amountNanos: 10n, reason: 'plans', createdBy: 'plans', expiresAtMs: undefined, creditDays: 30 };
  await inTransaction(pool, (client) => insertVouchers(client, [voucher], terms));
  await redeemVoucher(pool, { accountId: newId(), code, actor: ACTOR });
  await inTransaction(pool, (client) => revokeVoucher(client, voucher.voucherId));
  await listVouchers(pool, undefined, 201);
  await listVouchers(pool, { timeMs: Date.now(), id: voucher.voucherId }, 201);
}
