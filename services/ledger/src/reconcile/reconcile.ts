import type { Pool } from '@tollgate/common/postgres/pool';
import type { Finding } from '../store/findings.ts';
import { listFindings } from '../store/findings.ts';
import type { AccountHour } from '../store/reconciled.ts';
import { withRetries } from '../store/retry.ts';
import { readSettledUntil } from '../store/settled-until.ts';
import { BEFORE_ALL_ACCOUNTS } from './full-check.ts';
import { checkChanged, checkChangedHours, checkFully, checkNextAccounts, takeSlice } from './steps.ts';
import { summarizeRanges } from './sums.ts';

/** Maximum findings in a report. */
const MAX_REPORTED = 1_000;

/**
 * Entries younger than this wait for the next run. It is longer than the timeout of the ledger's statements and than the
 * clock difference between a database and its standby.
 */
export const DEFAULT_LAG_MS = 60_000;

export interface ReconcileOptions {
  /** Time limit of the run, checked after each step; the next run continues. */
  budgetMs: number;
  /** Verify every account from its rows alone, over as many runs as necessary. */
  full: boolean;
  /** Also compare the roll-ups of the current hour. */
  openHours?: boolean;
  lagMs?: number;
  nowMs?: () => number;
}

export interface ReconcileReport {
  /** Whether the run completed all its work. */
  complete: boolean;
  /** All entries up to this time are reconciled, Unix milliseconds. */
  untilMs: number;
  /** What the run processed. */
  charges: number;
  transfers: number;
  accounts: number;
  hours: number;
  /** Open findings, including those of earlier runs; at most 1,000, oldest first. */
  findings: Finding[];
  findingsTotal: number;
}

/**
 * Reconciles the ledger while it runs: sums what was posted since the last run, and compares the affected accounts and hours.
 * Its cost depends on what was posted since, not on the size of the ledger. Several may run concurrently.
 */
export async function reconcile(pool: Pool, options: ReconcileOptions): Promise<ReconcileReport> {
  const nowMs = options.nowMs ?? Date.now;
  const deadline = nowMs() + options.budgetMs;
  const hasTime = () => nowMs() < deadline;
  const done = { untilMs: 0, charges: 0, transfers: 0, accounts: 0, hours: 0 };

  await summarizeRanges(pool);
  const horizonMs = await readSettledUntil(pool, options.lagMs ?? DEFAULT_LAG_MS);
  const complete =
    (await sumAll(pool, horizonMs, done, nowMs, hasTime)) &&
    (await compareChanged(pool, done, hasTime)) &&
    (await compareHours(pool, done, hasTime, !(options.openHours ?? false))) &&
    (await scanAccounts(pool, options.full, done, nowMs, hasTime));
  const { findings, total } = await listFindings(pool, MAX_REPORTED);
  return { complete, ...done, findings, findingsTotal: total };
}

type Done = Pick<ReconcileReport, 'untilMs' | 'charges' | 'transfers' | 'accounts' | 'hours'>;

async function sumAll(
  pool: Pool,
  horizonMs: number,
  done: Done,
  nowMs: () => number,
  hasTime: () => boolean,
): Promise<boolean> {
  for (;;) {
    const step = await withRetries(() => takeSlice(pool, horizonMs, nowMs));
    if (step === undefined) {
      done.untilMs ||= horizonMs;
      return true;
    }
    done.untilMs = step.untilMs;
    done.charges += step.charges;
    done.transfers += step.transfers;
    if (!hasTime()) return false;
  }
}

function compareChanged(pool: Pool, done: Done, hasTime: () => boolean): Promise<boolean> {
  return runSteps(BEFORE_ALL_ACCOUNTS, hasTime, async (after) => {
    const compared = await withRetries(() => checkChanged(pool, after));
    done.accounts += compared.length;
    return compared.at(-1);
  });
}

function compareHours(pool: Pool, done: Done, hasTime: () => boolean, fullHours: boolean): Promise<boolean> {
  const beforeAll: AccountHour = { accountId: BEFORE_ALL_ACCOUNTS, startMs: 0 };
  return runSteps(beforeAll, hasTime, async (after) => {
    const compared = await withRetries(() => checkChangedHours(pool, after, fullHours));
    done.hours += compared.length;
    return compared.at(-1);
  });
}

/**
 * Runs steps, each from where the last one ended, until one finds nothing more.
 *
 * @returns whether all were run in time
 */
async function runSteps<Place>(
  before: Place,
  hasTime: () => boolean,
  step: (after: Place) => Promise<Place | undefined>,
): Promise<boolean> {
  for (let after = before; ; ) {
    const last = await step(after);
    if (last === undefined) return true;
    if (!hasTime()) return false;
    after = last;
  }
}

/** Accounts of one step of a full scan: few at first, because one may have a great many charges. */
const FIRST_FULL_STEP = 50;
const LARGEST_FULL_STEP = 5_000;
const SHORT_FULL_STEP_MS = 1_000;
const LONG_FULL_STEP_MS = 5_000;

/** Continues a scan over all accounts: one step of the background scan, or as much of a full scan as there is time for. */
async function scanAccounts(
  pool: Pool,
  full: boolean,
  done: Done,
  nowMs: () => number,
  hasTime: () => boolean,
): Promise<boolean> {
  if (!full) {
    done.accounts += (await withRetries(() => checkNextAccounts(pool))).length;
    return true;
  }
  for (let atOnce = FIRST_FULL_STEP; ; ) {
    const startedAt = nowMs();
    const step = await withRetries(() => checkFully(pool, atOnce));
    done.accounts += step.accounts;
    if (step.isLast) return true;
    if (!hasTime()) return false;
    const took = nowMs() - startedAt;
    if (took < SHORT_FULL_STEP_MS) atOnce = Math.min(LARGEST_FULL_STEP, atOnce * 2);
    else if (took > LONG_FULL_STEP_MS) atOnce = Math.max(1, Math.floor(atOnce / 4));
  }
}
