import { LARGEST_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { Bucket } from '@tollgate/proto/router';
import { type Usage, usageOf } from '@tollgate/protocols/usage';
import { describe, expect, it } from 'vitest';
import { priceSheetOf } from '../pricing/price-sheet.ts';
import type { RequestPrice } from '../pricing/request-price.ts';
import { type MeteredCall, meter, type Observed } from './metered.ts';

function priceOf(nanosPerMillion: bigint): RequestPrice {
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion }));
  return { sheet: priceSheetOf({ version: 'v', rates, tiers: [], effectiveFromMs: 0n }), discountPpm: 0 };
}

const CALL: MeteredCall = {
  countInput: () => Promise.resolve(77),
  mostInputTokens: 100,
  mostOutputTokens: 1_000,
  price: priceOf(1_000_000_000n),
  images: 0,
};
const TEXT = 'some words that came out';
const TEXT_TOKENS = 5;

function observed(reported: Partial<Usage> | undefined, more: Partial<Observed> = {}): Observed {
  const usage = reported === undefined ? undefined : usageOf(reported);
  return { reported: usage, unreadable: undefined, text: TEXT, unreported: '', sentBytes: 1_000, ...more };
}

describe('a report', () => {
  it('is believed', async () => {
    for (const [reported, text] of [
      [usageOf({ input: 5, output: 3 }), TEXT],
      [usageOf({ input: 5 }), ''],
    ] as const) {
      const metered = await meter(observed(reported, { text }), CALL);
      expect(metered).toEqual({ usage: reported, estimated: false, disbelieved: undefined });
    }
  });

  it('is believed up to ten times what the request can use, of input and of output', async () => {
    const most = usageOf({ input: 600, cache_read: 400, output: 9_000, reasoning: 1_000, search: 10 });
    expect(await meter(observed(most), CALL)).toEqual({ usage: most, estimated: false, disbelieved: undefined });
  });

  it.each([
    [
      { input: 1_001, output: 3 },
      { input: 77, output: 3 },
    ],
    [
      { input: 901, cache_write_1h: 100, output: 3 },
      { input: 77, output: 3 },
    ],
    [
      { input: 5, output: 10_001 },
      { input: 5, output: TEXT_TOKENS },
    ],
    [
      { input: 5, reasoning: 10_001 },
      { input: 5, output: TEXT_TOKENS },
    ],
    [
      { input: 5, output: 3, search: 11 },
      { input: 5, output: 3 },
    ],
    [
      { input: 1_001, output: 10_001 },
      { input: 77, output: TEXT_TOKENS },
    ],
    [
      { input: Number.MAX_SAFE_INTEGER, output: 3 },
      { input: 77, output: 3 },
    ],
  ])('of %o is beyond that, so that %o is charged', async (reported, charged) => {
    const metered = await meter(observed(reported), CALL);
    expect(metered).toEqual({ usage: usageOf(charged), estimated: true, disbelieved: reported });
  });

  it('that the ledger would not take a charge for is not believed', async () => {
    const call = { ...CALL, price: priceOf(LARGEST_CHARGE_NANOS * 1_000n) };
    const reported = { input: 501, output: 500 };
    const metered = await meter(observed(reported), call);
    expect(metered).toEqual({
      usage: usageOf({ input: 77, output: TEXT_TOKENS }),
      estimated: true,
      disbelieved: reported,
    });
  });

  it('is not believed either where the ledger would not take it with what is counted beside it', async () => {
    const call = { ...CALL, mostOutputTokens: 2_000, price: priceOf(LARGEST_CHARGE_NANOS * 400n) };
    for (const [reported, more] of [
      [{ input: 1_001, output: 2_490 }, {}],
      [{ input: 1_000, output: 1_499 }, { unreported: TEXT }],
    ] as const) {
      const { usage, ...rest } = await meter(observed(reported, more), call);
      expect(usage).toEqual(usageOf({ input: 77, output: TEXT_TOKENS }));
      expect(rest).toEqual({ estimated: true, disbelieved: reported });
    }
  });

  it('that cannot be read is shown as it stands', async () => {
    const unreadable = { input: 5, output: 1e308 };
    const metered = await meter(observed(undefined, { unreadable }), CALL);
    expect(metered).toEqual({
      usage: usageOf({ input: 77, output: TEXT_TOKENS }),
      estimated: true,
      disbelieved: unreadable,
    });
  });
});

describe('what was not reported is counted', () => {
  const charged = async (seen: Observed, call = CALL) => {
    const { usage, estimated, disbelieved } = await meter(seen, call);
    expect({ estimated, disbelieved }).toEqual({ estimated: true, disbelieved: undefined });
    return usage;
  };

  it('the input to no more tokens than bytes were sent, where much of the request was left out', async () => {
    expect(await charged(observed(undefined, { sentBytes: 40 }))).toEqual(usageOf({ input: 40, output: TEXT_TOKENS }));
  });

  it('everything without a report', async () => {
    for (const reported of [undefined, {}]) {
      expect(await charged(observed(reported))).toEqual(usageOf({ input: 77, output: TEXT_TOKENS }));
    }
  });

  it('the output, where only the input was reported before an answer broke off', async () => {
    const usage = await charged(observed({ input: 5, cache_read: 40 }));
    expect(usage).toEqual(usageOf({ input: 5, cache_read: 40, output: TEXT_TOKENS }));
  });

  it('the input, where only the output was reported', async () => {
    expect(await charged(observed({ output: 30 }))).toEqual(usageOf({ input: 77, output: 30 }));
  });

  it('what came after the report, on top of it', async () => {
    const usage = await charged(observed({ input: 5, output: 1, reasoning: 2 }, { unreported: TEXT }));
    expect(usage).toEqual(usageOf({ input: 5, output: 1 + TEXT_TOKENS, reasoning: 2 }));
  });

  it('never beyond what the request can use, however the tokens of the upstream differ from ours', async () => {
    const call = { ...CALL, mostInputTokens: 50, mostOutputTokens: 4 };
    expect(await charged(observed(undefined), call)).toEqual(usageOf({ input: 50, output: 4 }));
    const usage = await charged(observed({ input: 5, output: 3 }, { unreported: TEXT }), call);
    expect(usage).toEqual(usageOf({ input: 5, output: 4 }));
  });
});
