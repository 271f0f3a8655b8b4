import { newId } from '@tollgate/common/ids';
import { lineAmount } from '@tollgate/common/money';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import { leasingSession, settle } from '@tollgate/ledger/testing/ledger-calls';
import type { FocusRow } from '@tollgate/proto/api-types';
import { type Charge, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { focusProblems, nanosOf } from '../../testing/focus-specification.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import { FOCUS_COLUMNS } from '../focus/focus-lines.ts';

const DAY_MS = 86_400_000;
const ROUTE = 'GET /accounts/{account_id}/focus' as const;
/** The start of today, and of the day two days before. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const FIRST = TODAY - 2 * DAY_MS;
/** Of charges at prices of the account's own. */
const LIST_RATE = 1_000_003n;
const BUCKETS = ['input', 'cache_read', 'output', 'search'] as const;

let running: RunningConsole;
let accountId: string;
let billing: ApiClient;
let posted: Charge[];

/** A charge whose parts follow from its number, some with more cost than their hold. */
function chargeOf(number: number, sessionId: string): Charge {
  const startedAtMs = FIRST + (number % 2) * DAY_MS + number * 1_000;
  const discountPpm = number % 3 === 0 ? 125_000 : 0;
  const isOwn = number % 3 === 1;
  const lines = BUCKETS.slice(0, 1 + (number % BUCKETS.length)).map((bucket, index) => {
    const quantity = BigInt(number * 37 + index * 11 + 1);
    const rateNanosPerMillion = BigInt(1_234_567 * (index + 1));
    return {
      bucket,
      quantity,
      rateNanosPerMillion,
      amountNanos: lineAmount(quantity, rateNanosPerMillion, discountPpm),
      ...(isOwn && { listRateNanosPerMillion: LIST_RATE }),
    };
  });
  const costNanos = lines.reduce((sum, { amountNanos }) => sum + amountNanos, 0n);
  const id = startedAtMs.toString(16).padStart(12, '0');
  return buildCharge(
    {
      accountId,
      sessionId,
      requestId: `${id.slice(0, 8)}-${id.slice(8)}-7${newId().slice(15)}`,
      startedAtMs: BigInt(startedAtMs),
      keyName: number % 2 === 0 ? '=cmd()' : 'ci',
      tags: number % 5 === 0 ? { team: 'search, "web"' } : {},
      discountPpm,
      lines,
      ...(isOwn && { baseCostNanos: lines.reduce((sum, { quantity }) => sum + lineAmount(quantity, LIST_RATE), 0n) }),
      holdNanos: number % 10 === 0 ? costNanos / 2n : costNanos,
    },
    costNanos,
  );
}

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount('Acme & Söhne');
  billing = (await running.signedIn('billing', accountId)).api;
  const { pool } = running.ledger;
  await running.fund(accountId, 1_000_000_000n);
  const sessionId = await leasingSession(pool, accountId, 500_000_000n);
  // More than one page of the ledger.
  posted = Array.from({ length: 4_500 }, (_, number) => chargeOf(number, sessionId));
  for (let start = 0; start < posted.length; start += 500) {
    const outcomes = await settle(pool, ...posted.slice(start, start + 500));
    expect(outcomes).not.toContain(SettleOutcome.QUARANTINED);
  }
});
afterAll(() => running.stop());

const days = (from: number, to: number) => ({ start: new Date(from).toISOString(), end: new Date(to).toISOString() });

async function rows(query: object, api = billing): Promise<FocusRow[]> {
  const response = await api.fetch(ROUTE, { path: { account_id: accountId }, query: { ...query, format: 'json' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const text = await response.text();
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
}

/** What the ledger charged for requests of a range. */
async function chargedOf(from: number, to: number): Promise<bigint> {
  const { rows: sums } = await running.ledger.pool.query<{ charged: bigint }>(
    `SELECT coalesce(sum(charged_nanos), 0)::bigint AS charged FROM ledger.charges
     WHERE account_id = $1 AND started_at_ms >= $2 AND started_at_ms < $3`,
    [accountId, from, to],
  );
  return sums[0]?.charged ?? -1n;
}

describe('the export of charges in FOCUS', () => {
  it.each([
    ['all days', FIRST, TODAY],
    ['one day', FIRST + DAY_MS, TODAY],
    ['no charges', TODAY, TODAY + DAY_MS],
  ])('adds up to what the ledger charged, to the nano-dollar: %s', async (_, from, to) => {
    const found = await rows(days(from, to));
    expect(found.flatMap((row) => focusProblems({ ...row }))).toEqual([]);
    expect(nanosOf(found.map((row) => row.BilledCost))).toBe(await chargedOf(from, to));
    const quantity = posted
      .filter(({ startedAtMs }) => startedAtMs >= BigInt(from) && startedAtMs < BigInt(to))
      .flatMap(({ lines }) => lines)
      .reduce((sum, line) => sum + line.quantity, 0n);
    expect(found.reduce((sum, row) => sum + BigInt(row.ConsumedQuantity ?? 0), 0n)).toBe(quantity);
  });

  it('has the list price beside one of the account’s own for operators, and the account’s own for others', async () => {
    const range = days(FIRST, TODAY);
    const [theirs, ours] = [await rows(range), await rows(range, (await running.signedIn('operator')).api)];
    const listPrices = (found: FocusRow[]) => new Set(found.map(({ ListUnitPrice }) => ListUnitPrice));
    // Of a million tokens, and of a thousand searches.
    for (const price of ['0.001000003', '0.000001000003']) expect([...listPrices(ours)]).toContain(price);
    expect([...listPrices(theirs)].join()).not.toContain('000003');
    expect(nanosOf(ours.map((row) => row.BilledCost))).toBe(nanosOf(theirs.map((row) => row.BilledCost)));
    expect(ours.flatMap((row) => focusProblems({ ...row }))).toEqual([]);
  });

  it('has few rows for many charges, by day, key name, tags, bucket and discount', async () => {
    const found = await rows(days(FIRST, TODAY));
    const name = (row: FocusRow) =>
      [row.ChargePeriodStart, row.ResourceName, row.Tags, row.SkuMeter, row.x_DiscountPercent].join();
    expect(new Set(found.map(name)).size).toBe(found.length);
    expect(found.length).toBeLessThan(100);
    expect(found.some((row) => row.ChargeCategory === 'Adjustment')).toBe(true);
    expect(found[0]).toMatchObject({ BillingAccountId: accountId, BillingAccountName: 'Acme & Söhne' });
  });

  it('is CSV unless JSON is asked for, for spreadsheets too', async () => {
    const month = new Date(FIRST).toISOString().slice(0, 7);
    const response = await billing.fetch(ROUTE, { path: { account_id: accountId }, query: { month } });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="focus-${month}.csv"`);
    const text = await response.text();
    expect(text.split('\r\n')[0]).toBe(FOCUS_COLUMNS.join(','));
    expect(text).toContain(",'=cmd(),API key,");
    expect(text).toContain(',"{""team"":""search, \\""web\\""""}",');
  });

  it.each([
    [{ month: '2026-13' }, 'month'],
    [{ month: '2026-05', start: '2026-05-01T00:00:00Z' }, 'month'],
    [{ start: '2026-05-01T00:00:00Z' }, 'end'],
    [{ start: '2026-05-01T02:00:00Z', end: '2026-05-02T00:00:00Z' }, 'start'],
    [{ start: '2025-01-01T00:00:00Z', end: '2026-05-01T00:00:00Z' }, 'start'],
  ])('refuses %j, naming the parameter', async (query, field) => {
    const refused = await billing.call(ROUTE, { path: { account_id: accountId }, query });
    expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_request', field } });
  });

  it('refuses months that are archived, naming the parameter that was sent', async () => {
    const { pool } = running.ledger;
    await pool.query('UPDATE ledger.reconciliation_pass SET archived_until_ms = $1', [Date.UTC(2024, 4)]);
    const path = { account_id: accountId };
    const month = await billing.call(ROUTE, { path, query: { month: '2024-04' } });
    const message = 'charges before 2024-05-01 are archived';
    expect(month).toMatchObject({ status: 400, error: { field: 'month', message: `month: ${message}` } });
    const range = await billing.call(ROUTE, { path, query: days(Date.UTC(2024, 3), Date.UTC(2024, 5)) });
    expect(range).toMatchObject({ status: 400, error: { field: 'start', message: `start: ${message}` } });
    await pool.query('UPDATE ledger.reconciliation_pass SET archived_until_ms = 0');
  });

  it('is in the audit log of the account', async () => {
    const owner = await running.signedIn('owner', accountId);
    const { data } = await owner.api.ok('GET /accounts/{account_id}/audit', {
      path: { account_id: accountId },
      query: { range: '24h', action: 'costs.export' },
    });
    expect(data.map(({ details }) => details['month']).filter((month) => month !== undefined)).toContain('2024-04');
  });
});
