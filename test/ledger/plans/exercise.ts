import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@tollgate/common/ids';
import type { Pool } from '@tollgate/common/postgres/pool';
import { collectDebts } from '@tollgate/ledger/deposits/debts';
import { makeDeposit } from '@tollgate/ledger/deposits/make-deposit';
import { alertRefusingCaps } from '@tollgate/ledger/events/cap-alerts';
import { applyDefaultThresholds, saveDefaultThresholds, setThresholds } from '@tollgate/ledger/events/thresholds';
import { createEventDelivery } from '@tollgate/ledger/jobs/deliver-events';
import { createStatementIssuer } from '@tollgate/ledger/jobs/issue-statements';
import {
  removeOldCaps,
  removeOldEvents,
  removeOldLeases,
  removeOldRefusalRecords,
} from '@tollgate/ledger/jobs/retention';
import { sweep } from '@tollgate/ledger/jobs/sweep';
import { closeSession } from '@tollgate/ledger/leases/end-session';
import { acquireCredit, releaseCredit } from '@tollgate/ledger/leases/lease-credit';
import { endLots } from '@tollgate/ledger/lots/end-lots';
import { Recalls } from '@tollgate/ledger/recall/recalls';
import { reconcile } from '@tollgate/ledger/reconcile/reconcile';
import { repostQuarantined } from '@tollgate/ledger/settle/repost-quarantined';
import { settleIsolating } from '@tollgate/ledger/settle/settle-records';
import { settlementRecord } from '@tollgate/ledger/settle/settlement-record';
import { issueStatements } from '@tollgate/ledger/statements/issue-statements';
import { readBalance } from '@tollgate/ledger/store/balances';
import { findCharge } from '@tollgate/ledger/store/charges';
import { listDeposits } from '@tollgate/ledger/store/deposits';
import { listEvents, postponeEvent } from '@tollgate/ledger/store/events';
import { storeFindings } from '@tollgate/ledger/store/findings';
import { buildLateIndexes, LateIndexes } from '@tollgate/ledger/store/late-indexes';
import { listLeases, sessionsWithCredit } from '@tollgate/ledger/store/leases';
import { raiseEpoch } from '@tollgate/ledger/store/meta';
import { ensurePartition, ensurePartitions } from '@tollgate/ledger/store/partitions';
import { listQuarantined, quarantineAlone } from '@tollgate/ledger/store/quarantined-charges';
import { claimCheck, readReconciliationStatus } from '@tollgate/ledger/store/reconciliation';
import { searchCharges } from '@tollgate/ledger/store/search-charges';
import { fenceExpiredSessions, openSession, recordHeartbeat } from '@tollgate/ledger/store/sessions';
import { listStatementLines } from '@tollgate/ledger/store/statement-lines';
import { findStatement, listStatements } from '@tollgate/ledger/store/statements';
import { readThresholds } from '@tollgate/ledger/store/thresholds';
import { DAY_MS, HOUR_MS, monthStart } from '@tollgate/ledger/store/time';
import { readUsage } from '@tollgate/ledger/store/usage';
import { archiveOldest } from '@tollgate/ledger/tasks/archive-month';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { acquire, giveBack } from '@tollgate/ledger/testing/ledger-calls';
import { MAX_AGE_MS, silent } from '@tollgate/ledger/testing/ledger-fixture';
import { type History, PROJECT } from '@tollgate/ledger/testing/load-history';
import { CapPeriod, type Charge, type HeldNode, Refusal } from '@tollgate/proto/ledger';
import {
  ACTOR,
  exerciseOperatorLists,
  exerciseRefusals,
  lookUpCaps,
  searchWithFilters,
  sumAccount,
} from './exercise-lists.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Runs every operation of the ledger, for its largest account and another one. */
export async function exerciseLedger(pool: Pool, history: History): Promise<void> {
  const sessionId = newId();
  await openSession(pool, sessionId, 'plans');
  for (const accountId of [history.largest, history.other]) {
    await moveMoney(pool, accountId, sessionId);
    await settleSome(pool, accountId, sessionId);
    await repost(pool, accountId, sessionId);
    await lookUp(pool, accountId, history);
    await exerciseRefusals(pool, accountId, history);
  }
  await recordHeartbeat(pool, sessionId, 1n, new Map([[history.largest, 5n]]), { charges: 3n, oldestMs: 200n });
  await sessionsWithCredit(pool, { accountId: history.largest, cap: undefined }, sessionId, 15_000);
  await listLeases(pool, history.openSession, FIRST, 100);
  await tellEvents(pool, history);
  await exerciseOperatorLists(pool, history);
  await buildLateIndexes(pool, new AbortController().signal);
  await makeStatements(pool, history);
  const year = 365 * DAY_MS;
  await sweep(pool, { gapMs: 60_000, keepMs: year }, silent);
  await fenceExpiredSessions(pool, new Date().toISOString(), year);
  await closeSession(pool, sessionId);
  await removeOldCaps(pool, Date.now(), MAX_AGE_MS);
  await removeOldLeases(pool, history.startMs + 15 * DAY_MS);
  await removeOldRefusalRecords(pool, Date.now());
  const longAgo = Date.now() - 400 * DAY_MS;
  await ensurePartition(pool, 'charges', longAgo);
  await archiveOldest(pool, longAgo + 40 * DAY_MS, Date.now());
  await pool.query('DROP SCHEMA ledger_archive CASCADE');
  await pool.query('CREATE SCHEMA ledger_archive');
  await ensurePartitions(pool, Date.now() + 62 * DAY_MS, MAX_AGE_MS, silent);
  await raiseEpoch(pool);
}

async function moveMoney(pool: Pool, accountId: string, sessionId: string): Promise<void> {
  const input = { accountId, amountNanos: 1_000_000n, reason: 'plans' };
  const idempotencyKey = newId();
  for (let time = 0; time < 2; time++)
    await makeDeposit(pool, { ...input, kind: 'deposit', idempotencyKey, actor: ACTOR });
  await makeDeposit(pool, { ...input, kind: 'adjustment', amountNanos: -5n, idempotencyKey: newId() });
  const lot = { kind: undefined, priority: 0, endsAtMs: BigInt(Date.now() + 500) };
  const ending = await makeDeposit(pool, { ...input, kind: 'deposit', idempotencyKey: newId(), lot });
  const credit = { by: 'id', depositId: ending.deposit.depositId } as const;
  await makeDeposit(pool, { ...input, kind: 'refund', amountNanos: -5n, idempotencyKey: newId(), credit });
  await delay(550);
  const context = { pool, recalls: new Recalls({ waitMs: 0 }), sessionTtlMs: 15_000, logger: silent };
  await endLots(context, new AbortController().signal);
  await acquire(pool, sessionId, accountId, 100_000n);
  const balance = { accountId, cap: undefined };
  await giveBack(pool, sessionId, balance, 10n);
  const kept = { sessionId, accountId, keepNanos: 0n, databaseId: 'another' };
  await releaseCredit(pool, { ...kept, cap: undefined });
  await releaseCredit(pool, { ...kept, cap: { accountId, nodeId: newId(), period: 'total', startMs: 0 } });
  // Takes back more than is available, and pays it off again.
  const available = (await readBalance(pool, accountId))?.available ?? 0n;
  const dispute = { accountId, kind: 'dispute' as const, amountNanos: -available - 50n, reason: 'plans' };
  await makeDeposit(pool, { ...dispute, idempotencyKey: newId() });
  await giveBack(pool, sessionId, balance, 20n);
  await collectDebts(pool);
  await makeDeposit(pool, { ...input, kind: 'deposit', amountNanos: available + 50n, idempotencyKey: newId() });
}

async function settleSome(pool: Pool, accountId: string, sessionId: string): Promise<void> {
  const keyId = newId();
  const day = Date.now() - (Date.now() % DAY_MS);
  const cap = { accountId, nodeId: keyId, period: 'day' as const, startMs: day };
  // The charges bring the day past a part of its limit that is reported.
  const ofDay = { cap, grantedTotalNeeded: 200n, limitNanos: 250n, revision: 1n };
  const ofBalance = { cap: undefined, grantedTotalNeeded: 1_000n, limitNanos: 0n, revision: 0n };
  const total = { accountId, nodeId: keyId, period: 'total' as const, startMs: 0 };
  const ofProject = { ...ofDay, cap: { ...total, nodeId: PROJECT }, limitNanos: 100_000_000_000_000n };
  const run = newId();
  const ofRun = { ...ofDay, cap: { accountId, nodeId: run, period: 'session' as const, startMs: 0 } };
  const ofTotal = { ...ofDay, cap: total, limitNanos: 10_000n };
  const needs = [ofBalance, { ...ofProject, revision: 2n }, ofDay, ofTotal, ofRun];
  await acquireCredit(pool, sessionId, { accountId, sequence: 2n, needs, prefetch: false });
  await pool.query('UPDATE ledger.ceilings SET used_day_ms = used_day_ms - 1 WHERE account_id = $1 AND node_id = $2', [
    accountId,
    run,
  ]);
  await acquireCredit(pool, sessionId, { accountId, sequence: 3n, needs: [ofRun], prefetch: false });
  const charges: Charge[] = Array.from({ length: 20 }, () => buildCharge({ accountId, sessionId, keyId }, 10n));
  const nodes = [accountId, PROJECT].map((nodeId, at): HeldNode => {
    return { nodeId, caps: [CapPeriod.TOTAL], name: 'plans', scope: at === 0 ? 'project' : 'member' };
  });
  nodes.push({ nodeId: run, caps: [CapPeriod.SESSION], name: 'plans', scope: 'session' });
  charges.push(buildCharge({ accountId, sessionId, keyId, caps: [CapPeriod.DAY], nodes }, 10n));
  // The key has moved.
  charges.push(
    buildCharge(
      { accountId, sessionId, keyId, nodes: [{ nodeId: newId(), caps: [], name: 'plans', scope: 'project' }] },
      10n,
    ),
  );
  // More than its hold: a loss of the operator.
  charges.push(buildCharge({ accountId, sessionId, keyId, holdNanos: 10n }, 30n));
  const malformed = { ...buildCharge({ accountId, sessionId }), requestId: 'none' };
  const records = [...charges, malformed].map(settlementRecord);
  await settleIsolating(pool, records, { maxAgeMs: MAX_AGE_MS, logger: silent });
  const refusal = { accountId, keyId, nodes, reason: 'cap_exceeded', refusedAtMs: BigInt(Date.now()) };
  await alertRefusingCaps(pool, [Refusal.fromPartial(refusal)]);
  await settleIsolating(pool, records, { maxAgeMs: MAX_AGE_MS, logger: silent });
  await sessionsWithCredit(pool, { accountId, cap }, newId(), 15_000);
  await giveBack(pool, sessionId, { accountId, cap }, 100n);
}

/** Issues the statements of both accounts that are missing, and finds the others that have none. */
async function makeStatements(pool: Pool, history: History): Promise<void> {
  await createStatementIssuer({ pool, lateIndexes: new LateIndexes(pool), logger: silent })(AbortSignal.abort());
  const [first, next] = [monthStart(history.startMs), monthStart(history.startMs, 1)];
  // The first exercise issues that of the next month, the second one those of later ones.
  const found = await findStatement(pool, history.other, next);
  const dueMs = found === undefined ? monthStart(next, 1) + 2 * DAY_MS : Date.now() + 62 * DAY_MS;
  for (const accountId of [history.largest, history.other]) {
    const outcomes: string[] = [];
    await issueStatements({ pool, logger: silent }, accountId, dueMs, (outcome) => outcomes.push(outcome));
    if (!outcomes.includes('issued') || outcomes.includes('unequal')) throw new Error(`statements are ${outcomes}`);
    await listStatements(pool, accountId, Number.MAX_SAFE_INTEGER, 51);
    await listStatementLines(pool, accountId, first, { after: 10, limit: 201 });
  }
}

/** Quarantines a charge and posts it again, twice. */
async function repost(pool: Pool, accountId: string, sessionId: string): Promise<void> {
  const record = settlementRecord(buildCharge({ accountId, sessionId }, 10n));
  await quarantineAlone(pool, { record, reason: 'plans' });
  for (const account of ['', accountId]) await listQuarantined(pool, account, undefined, 10);
  const { requestId } = record.charge;
  for (let time = 0; time < 2; time++) {
    await repostQuarantined(pool, { accountId, requestId, contentHash: '' }, MAX_AGE_MS);
  }
}

async function lookUp(pool: Pool, accountId: string, history: History): Promise<void> {
  const month = { startMs: history.endMs - 31 * DAY_MS, endMs: history.endMs };
  const year = { startMs: history.endMs - 366 * DAY_MS, endMs: history.endMs };
  const search = { accountId, range: month, before: undefined, limit: 100, indexed: true };
  const { charges } = await searchCharges(pool, { ...search, filter: {} });
  const last = charges.at(-1);
  if (last === undefined) throw new Error('the account has no charges');
  await searchWithFilters(pool, accountId, history, last.requestId);
  await sumAccount(pool, accountId, history);
  await findCharge(pool, accountId, { by: 'request_id', id: last.requestId });
  await findCharge(pool, accountId, { by: 'trace_id', id: last.traceId });
  const hours = { startMs: history.endMs - 5 * HOUR_MS, endMs: history.endMs };
  await readUsage(pool, {
    accountId,
    range: hours,
    interval: 'hour',
    byModel: true,
    byKey: true,
    totals: false,
    limit: 100,
  });
  await readUsage(pool, {
    accountId,
    range: year,
    interval: 'month',
    byModel: false,
    byKey: false,
    totals: false,
    limit: 100,
  });
  const sums = { interval: 'day', byModel: true, byKey: true, totals: true, limit: 100 } as const;
  await readUsage(pool, { ...sums, accountId, range: year, filter: { keyIds: [last.keyId] } });
  const places = { projectIds: [accountId], ownerIds: [PROJECT], keysAndBelow: [last.keyId] };
  const groups = { byProject: true, byOwner: true };
  await readUsage(pool, { ...sums, ...groups, accountId, range: year });
  await readUsage(pool, { ...sums, ...groups, accountId, range: year, filter: places });
  await readUsage(pool, { ...sums, ...groups, interval: 'hour', accountId, range: hours, filter: places });
  await lookUpCaps(pool, accountId, history);
  const deposits = await listDeposits(pool, accountId, year, undefined, 10);
  const first = deposits.at(0);
  if (first === undefined) throw new Error('the account has no deposits');
  await listDeposits(pool, accountId, year, { timeMs: Number(first.createdAtMs), id: first.depositId }, 10);
  const events = await listEvents(pool, accountId, undefined, 10);
  await listEvents(pool, accountId, { timeMs: 0, id: events.at(0)?.eventId ?? newId() }, 10);
}

async function tellEvents(pool: Pool, history: History): Promise<void> {
  await setThresholds(pool, history.largest, [10n, 5n]);
  await setThresholds(pool, history.largest, undefined);
  await readThresholds(pool, history.largest);
  // A threshold above the other account's balance: its next settlement is an event.
  const balance = await readBalance(pool, history.other);
  await setThresholds(pool, history.other, [(balance?.available ?? 0n) + (balance?.leased ?? 0n) - 1n]);
  const sessionId = newId();
  await openSession(pool, sessionId, 'plans');
  await acquire(pool, sessionId, history.other, 1_000n);
  await settleIsolating(pool, [settlementRecord(buildCharge({ accountId: history.other, sessionId }, 500n))], {
    maxAgeMs: MAX_AGE_MS,
    logger: silent,
  });
  await saveDefaultThresholds(pool, [BigInt(Date.now())], silent);
  // Long enough for some of the accounts.
  await applyDefaultThresholds(pool, AbortSignal.timeout(300));
  const undelivered = { target: undefined, now: Date.now, random: Math.random };
  await createEventDelivery(pool, undelivered, silent)(new AbortController().signal);
  const [event] = await listEvents(pool, history.other, undefined, 1);
  if (event !== undefined) {
    const claimed = { accountId: event.accountId, eventId: event.eventId, type: 'balance.low' as const, payload: {} };
    await postponeEvent(pool, { ...claimed, createdAtMs: event.createdAtMs, attempts: 1 }, 1_000, 'plans');
  }
  await removeOldEvents(pool);
}

/** Checks the first accounts, of which one has three in ten of all charges. */
export async function exerciseReconciliation(pool: Pool, history: History): Promise<void> {
  await claimCheck(pool, 0);
  let report = await reconcile(pool, { budgetMs: 1, pass: 'new' });
  while (report.accounts === 0) report = await reconcile(pool, { budgetMs: 1, pass: report.beganMs });
  if (report.findingsTotal > 0) {
    throw new Error(`the loaded history is inconsistent: ${JSON.stringify(report.findings.slice(0, 3))}`);
  }
  const finding = {
    invariant: 'nothing_negative',
    accountId: history.other,
    place: '{}',
    expected: '0',
    found: '1',
  } as const;
  await storeFindings(pool, [finding]);
  await readReconciliationStatus(pool);
  await pool.query('DELETE FROM ledger.findings');
}
