import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { clearAccountFindings, clearAllFindings, clearHourFindings, storeFindings } from '../store/findings.ts';
import {
  type AccountHour,
  dropHours,
  markVerified,
  nextAccounts,
  uncheckedHours,
  unverifiedAccounts,
} from '../store/reconciled.ts';
import { saveScan, saveSlice } from '../store/reconciliation.ts';
import { codeOf } from '../store/retry.ts';
import { HOUR_MS } from '../store/time.ts';
import { checkAccounts } from './check-accounts.ts';
import { checkHours, dayOf } from './check-hours.ts';
import { checkSlice } from './check-slice.ts';
import { BEFORE_ALL_ACCOUNTS, fullFindings, LAST_ACCOUNT } from './full-check.ts';
import { inStep } from './progress.ts';
import { resumAccounts, sumSlice } from './sums.ts';

/** Timeout of a step's statements: a slice that exceeds it is made smaller. */
const STEP_TIMEOUT_MS = 60_000;
/** Timeout of a full scan's statements, which read all charges of some accounts. */
const FULL_TIMEOUT_MS = 1_800_000;
/** Maximum findings of one statement. */
const MAX_FINDINGS = 200;
/** A slice that took less is followed by one twice as long; one that took more, by one half as long. */
const SHORT_SLICE_MS = 250;
const LONG_SLICE_MS = 2_000;
const SHORTEST_SLICE_MS = 1_000;
const LONGEST_SLICE_MS = 31 * 24 * HOUR_MS;

const ACCOUNT_BATCH = 1_000;
const HOUR_BATCH = 100;
const QUERY_CANCELED = '57014';

export interface SliceStep {
  untilMs: number;
  charges: number;
  transfers: number;
}

/** Sums the entries of the next time span, up to the horizon. Undefined when that is reached. */
export async function takeSlice(pool: Pool, horizonMs: number, nowMs: () => number): Promise<SliceStep | undefined> {
  try {
    return await inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => {
      const upTo = Math.min(progress.untilMs + progress.sliceMs, horizonMs);
      if (upTo <= progress.untilMs) return undefined;
      const startedAt = nowMs();
      const findings = await checkSlice(client, progress.untilMs, upTo, MAX_FINDINGS);
      const sums = await sumSlice(client, progress.untilMs, upTo);
      await storeFindings(client, 'slice', findings);
      const nextMs = nextSlice(progress.sliceMs, nowMs() - startedAt, upTo < horizonMs);
      if (nextMs !== progress.sliceMs) await saveSlice(client, nextMs);
      return { untilMs: upTo, ...sums };
    });
  } catch (error) {
    if (codeOf(error) !== QUERY_CANCELED) throw error;
    return inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => {
      if (progress.sliceMs <= SHORTEST_SLICE_MS) throw error;
      await saveSlice(client, Math.max(SHORTEST_SLICE_MS, Math.floor(progress.sliceMs / 4)));
      return { untilMs: progress.untilMs, charges: 0, transfers: 0 };
    });
  }
}

/** A slice shortened by the horizon is no evidence of how long a full one takes. */
function nextSlice(sliceMs: number, tookMs: number, wasFull: boolean): number {
  if (tookMs > LONG_SLICE_MS) return Math.max(SHORTEST_SLICE_MS, Math.floor(sliceMs / 2));
  if (wasFull && tookMs < SHORT_SLICE_MS) return Math.min(LONGEST_SLICE_MS, sliceMs * 2);
  return sliceMs;
}

/** Compares the next accounts whose entries changed with their balances. @returns those compared */
export function checkChanged(pool: Pool, after: string): Promise<string[]> {
  return inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => {
    const accountIds = await unverifiedAccounts(client, after, ACCOUNT_BATCH);
    await compare(client, accountIds, progress.untilMs);
    return accountIds;
  });
}

/** Compares the next accounts of the background scan, which restarts at its end. @returns those compared */
export function checkNextAccounts(pool: Pool): Promise<string[]> {
  return inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => {
    const accountIds = await nextAccounts(client, progress.scanAfter, ACCOUNT_BATCH);
    await compare(client, accountIds, progress.untilMs);
    const isLast = accountIds.length < ACCOUNT_BATCH;
    await saveScan(client, 'background', isLast ? BEFORE_ALL_ACCOUNTS : (accountIds.at(-1) ?? BEFORE_ALL_ACCOUNTS));
    return accountIds;
  });
}

async function compare(client: PoolClient, accountIds: string[], untilMs: number): Promise<void> {
  if (accountIds.length === 0) return;
  const findings = await checkAccounts(client, accountIds, untilMs, MAX_FINDINGS);
  await clearAccountFindings(client, accountIds);
  await storeFindings(client, 'account', findings);
  const inconsistent = new Set(findings.map((finding) => finding.accountId));
  await markVerified(
    client,
    accountIds.filter((accountId) => !inconsistent.has(accountId)),
    untilMs,
  );
}

/** Compares the roll-ups of the next changed hours whose charges are all summed. @returns those compared */
export function checkChangedHours(pool: Pool, after: AccountHour, fullHours: boolean): Promise<AccountHour[]> {
  return inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => {
    const before = fullHours ? progress.untilMs - HOUR_MS : progress.untilMs + HOUR_MS;
    const hours = await uncheckedHours(client, before, after, HOUR_BATCH);
    if (hours.length === 0) return [];
    const findings = await checkHours(client, hours, MAX_FINDINGS);
    await clearHourFindings(
      client,
      hours.map((hour) => ({ ...hour, dayMs: dayOf(hour.startMs) })),
    );
    await storeFindings(client, 'hour', findings);
    const inconsistent = new Set(findings.map((finding) => finding.accountId));
    await dropHours(
      client,
      hours.filter((hour) => !inconsistent.has(hour.accountId)),
    );
    return hours;
  });
}

/**
 * Verifies the next accounts from their rows alone, and sums accounts again whose history has changed.
 *
 * @param atOnce maximum accounts
 * @returns how many there were, and whether they were the last
 */
export async function checkFully(pool: Pool, atOnce: number): Promise<{ accounts: number; isLast: boolean }> {
  const { accountIds, after } = await inStep(pool, STEP_TIMEOUT_MS, async (client, progress) => ({
    accountIds: await nextAccounts(client, progress.fullAfter, atOnce),
    after: progress.fullAfter,
  }));
  const isLast = accountIds.length < atOnce;
  // The last step extends to the end of all ids, so that rows of accounts without a balance are found too.
  const range = { after, upTo: isLast ? LAST_ACCOUNT : (accountIds.at(-1) ?? LAST_ACCOUNT) };
  const findings = await inTransaction(pool, async (client) => {
    await client.query(`
      SELECT set_config('statement_timeout', '${FULL_TIMEOUT_MS}', true), set_config('enable_seqscan', 'off', true),
             set_config('jit', 'off', true)`);
    return fullFindings(client, range, MAX_FINDINGS);
  });
  const rewritten = findings.filter((finding) => finding.invariant === 'history_unchanged');
  await inStep(pool, FULL_TIMEOUT_MS, async (client, progress) => {
    await clearAllFindings(client, range);
    await storeFindings(client, 'full', findings);
    if (rewritten.length > 0) {
      await resumAccounts(client, [...new Set(rewritten.map((finding) => finding.accountId))], progress.untilMs);
    }
    await saveScan(client, 'full', isLast ? BEFORE_ALL_ACCOUNTS : range.upTo);
  });
  return { accounts: accountIds.length, isLast };
}
