import { BUCKETS, type BucketName } from '@tollgate/common/billing/buckets';
import { lineAmount } from '@tollgate/common/money';
import type { ChargeSum } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FOCUS_COLUMN_RULES, focusProblems, nanosOf } from '../../testing/focus-specification.ts';
import { DaySums } from './day-sums.ts';
import { FOCUS_COLUMNS, focusToCsv } from './focus-lines.ts';
import { focusRow } from './focus-row.ts';

const DAY = { accountId: '0190f4a8-0000-7000-8000-000000000009', accountName: 'Acme', dayMs: Date.UTC(2026, 11, 31) };

function chargeSum(fields: Partial<ChargeSum> = {}): ChargeSum {
  return {
    keyId: '0190f4a8-0000-7000-8000-000000000001',
    keyName: 'ci',
    model: 'small',
    provider: 'openai',
    priceVersion: '2026-05-01',
    discountPpm: 0,
    tags: {},
    chargedNanos: 0n,
    lines: [],
    ...fields,
  };
}

function rowsOf(sums: readonly ChargeSum[], maxCharacters?: number) {
  const day = new DaySums(maxCharacters);
  const rows = [];
  for (const sum of sums) {
    day.add(sum);
    if (day.isFull) rows.push(...day.take());
  }
  return [...rows, ...day.take()].map((line) => focusRow(line, DAY));
}

/** Some charges of a few keys, models and prices, of which some exceed their hold. */
const someSums = fc.array(
  fc
    .record({
      keyName: fc.constantFrom('', 'ci', '=cmd()'),
      model: fc.constantFrom('small', 'large'),
      priceVersion: fc.constantFrom('v1', 'v1#over-200000#service_tier=flex'),
      discountPpm: fc.constantFrom(0, 1, 150_000, 333_333, 1_000_000),
      tags: fc.constantFrom<Record<string, string>>({}, { team: 'a' }),
      unpaidPercent: fc.constantFrom(0n, 1n, 100n),
      lines: fc.array(
        fc.tuple(
          fc.constantFrom<BucketName>(...BUCKETS),
          fc.bigInt({ min: 0n, max: 10n ** 12n }),
          fc.bigInt({ min: 0n, max: 10n ** 12n }),
        ),
        { maxLength: 5 },
      ),
    })
    .map(({ lines, unpaidPercent, ...fields }) => {
      const built = lines.map(([bucket, quantity, rateNanosPerMillion]) => ({
        bucket,
        quantity,
        rateNanosPerMillion,
        amountNanos: lineAmount(quantity, rateNanosPerMillion, fields.discountPpm),
      }));
      const cost = built.reduce((sum, { amountNanos }) => sum + amountNanos, 0n);
      return chargeSum({ ...fields, lines: built, chargedNanos: cost - (cost * unpaidPercent) / 100n });
    }),
  { maxLength: 20 },
);

describe('rows', () => {
  it('have all columns of the specification, ours after its own', () => {
    const { own, standard } = Object.groupBy(FOCUS_COLUMNS, (name) => (name.startsWith('x_') ? 'own' : 'standard'));
    expect(FOCUS_COLUMNS).toEqual([...(standard ?? []).toSorted(), ...(own ?? [])]);
    expect([...FOCUS_COLUMNS].sort()).toEqual(Object.keys(FOCUS_COLUMN_RULES).sort());
  });

  it('follow the specification, and add up to what was charged, also when a day is too large to merge', () => {
    fc.assert(
      fc.property(someSums, fc.constantFrom(1, 500, undefined), (sums, maxCharacters) => {
        const rows = rowsOf(sums, maxCharacters);
        expect(rows.flatMap((row) => focusProblems({ ...row }))).toEqual([]);
        const charged = sums.reduce((sum, { chargedNanos }) => sum + chargedNanos, 0n);
        expect(nanosOf(rows.map((row) => row.BilledCost))).toBe(charged);
        expect(nanosOf(rows.map((row) => row.EffectiveCost))).toBe(charged);
        const quantity = sums.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.quantity, 0n);
        expect(rows.reduce((sum, row) => sum + BigInt(row.ConsumedQuantity ?? 0), 0n)).toBe(quantity);
      }),
    );
  });

  it('are one for each bucket and price of a key, however many charges there are', () => {
    const line = { bucket: 'input', quantity: 10n, rateNanosPerMillion: 2_000_000n, amountNanos: 20n };
    const sum = chargeSum({ lines: [line], chargedNanos: 20n });
    const rows = rowsOf([sum, sum, chargeSum({ lines: [{ ...line, rateNanosPerMillion: 1n, amountNanos: 0n }] })]);
    expect(rows.map((row) => [row.ConsumedQuantity, row.BilledCost])).toEqual([
      ['20', '0.00000004'],
      ['10', '0'],
    ]);
  });

  it('of tokens have the price of a million, of items that of a thousand', () => {
    const lines = [
      { bucket: 'cache_read', quantity: 1_234_567n, rateNanosPerMillion: 125_000_001n, amountNanos: 131_172_745n },
      { bucket: 'search', quantity: 3n, rateNanosPerMillion: 10_000_000_000_000n, amountNanos: 25_500_000n },
    ];
    const sum = chargeSum({ discountPpm: 150_000, lines, chargedNanos: 156_672_745n, tags: { team: 'a' } });
    const [tokens, items] = rowsOf([{ ...sum, priceVersion: 'v7#over-200000#service_tier=flex' }]);
    expect(tokens).toEqual({
      BilledCost: '0.131172745',
      BillingAccountId: DAY.accountId,
      BillingAccountName: 'Acme',
      BillingCurrency: 'USD',
      BillingPeriodEnd: '2027-01-01T00:00:00Z',
      BillingPeriodStart: '2026-12-01T00:00:00Z',
      ChargeCategory: 'Usage',
      ChargeClass: null,
      ChargeDescription: 'small: cache_read at 0.125000001 USD per 1000000 Tokens, less 15 %',
      ChargeFrequency: 'Usage-Based',
      ChargePeriodEnd: '2027-01-01T00:00:00Z',
      ChargePeriodStart: '2026-12-31T00:00:00Z',
      ConsumedQuantity: '1234567',
      ConsumedUnit: 'Tokens',
      ContractedCost: '0.13117274479938195',
      ContractedUnitPrice: '0.10625000085',
      EffectiveCost: '0.131172745',
      HostProviderName: 'openai',
      InvoiceId: null,
      InvoiceIssuerName: 'Tollgate',
      ListCost: '0.154320876234567',
      ListUnitPrice: '0.125000001',
      PricingCategory: 'Standard',
      PricingQuantity: '1.234567',
      PricingUnit: '1000000 Tokens',
      ProviderName: 'Tollgate',
      PublisherName: 'openai',
      ResourceId: sum.keyId,
      ResourceName: 'ci',
      ResourceType: 'API key',
      ServiceCategory: 'AI and Machine Learning',
      ServiceName: 'small',
      ServiceProviderName: 'Tollgate',
      ServiceSubcategory: 'Generative AI',
      SkuId: 'small/cache_read',
      SkuMeter: 'cache_read',
      SkuPriceDetails: '{"x_PriceVersion":"v7","x_AboveInputTokens":"200000","x_ServiceTier":"flex"}',
      SkuPriceId: 'small/cache_read/v7#over-200000#service_tier=flex/0.125000001',
      SubAccountId: null,
      SubAccountName: null,
      Tags: '{"team":"a"}',
      x_DiscountPercent: '15',
    });
    expect(items).toMatchObject({
      ConsumedQuantity: '3',
      ConsumedUnit: 'Searches',
      PricingQuantity: '0.003',
      PricingUnit: '1000 Searches',
      ListUnitPrice: '10',
      ListCost: '0.03',
      ContractedUnitPrice: '8.5',
      BilledCost: '0.0255',
    });
  });

  it('of a price of the account’s own have the list price in list columns, if the reader gets it', () => {
    const own = { bucket: 'input', quantity: 1_000n, rateNanosPerMillion: 3_600_000_000n, amountNanos: 1_800_000n };
    const listed = { ...own, listRateNanosPerMillion: 3_000_000_000n };
    const sum = chargeSum({ discountPpm: 500_000, lines: [listed], chargedNanos: 1_800_000n });
    const paid = {
      BilledCost: '0.0018',
      EffectiveCost: '0.0018',
      ContractedCost: '0.0018',
      ContractedUnitPrice: '1.8',
    };
    const [forOperators, ...others] = rowsOf([sum]);
    expect(forOperators).toMatchObject({
      ...paid,
      ListCost: '0.003',
      ListUnitPrice: '3',
      SkuPriceId: 'small/input/2026-05-01/3',
    });
    expect(forOperators?.ChargeDescription).toBe('small: input at 3.6 USD per 1000000 Tokens, less 50 %');
    expect(others).toEqual([]);
    const [row] = rowsOf([{ ...sum, lines: [own] }]);
    expect(row).toMatchObject({
      ...paid,
      ListCost: '0.0036',
      ListUnitPrice: '3.6',
      SkuPriceId: 'small/input/2026-05-01/3.6',
    });
    expect([forOperators, row].flatMap((each) => focusProblems({ ...each }))).toEqual([]);
    // A markup that was changed: two rows, since their list prices differ.
    expect(rowsOf([sum, { ...sum, lines: [{ ...listed, listRateNanosPerMillion: 1n }] }])).toHaveLength(2);
  });

  it('take back what exceeded the hold of requests', () => {
    const line = { bucket: 'output', quantity: 10n, rateNanosPerMillion: 2_000_000n, amountNanos: 20n };
    const rows = rowsOf([chargeSum({ lines: [line], chargedNanos: 15n })]);
    expect(rows.map((row) => [row.ChargeCategory, row.BilledCost, row.ListCost, row.SkuId])).toEqual([
      ['Usage', '0.00000002', '0.00000002', 'small/output'],
      ['Adjustment', '-0.000000005', '-0.000000005', null],
    ]);
  });

  it('as CSV have empty cells for nulls, and no name that a spreadsheet would run', () => {
    const line = { bucket: 'output', quantity: 10n, rateNanosPerMillion: 2_000_000n, amountNanos: 20n };
    const [usage = '', taken = ''] = rowsOf([chargeSum({ keyName: '@SUM(A1)', lines: [line], chargedNanos: 15n })]).map(
      focusToCsv,
    );
    expect(usage).toContain(",'@SUM(A1),API key,");
    expect(taken).toMatch(/^-0\.000000005,/);
    expect(taken).toMatch(/,Generative AI,,,,,,,,0\r\n$/);
  });
});
