import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { Bucket } from '@tollgate/proto/router';
import { type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import { describe, expect, it } from 'vitest';
import { priceSheetOf } from '../shared/catalogue/price-sheet.ts';
import { NO_ADJUSTMENT, priceOfRequest, priceUsage, type RequestPrice } from '../shared/catalogue/request-price.ts';
import { type MeteredCall, meter, type ObservedResponse } from './meter.ts';

function priceOf(nanosPerMillion: bigint): RequestPrice {
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion }));
  return priceOfRequest(
    [priceSheetOf({ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n })],
    0,
    NO_ADJUSTMENT,
  );
}

const CALL: MeteredCall = {
  countInput: () => Promise.resolve(77),
  maxInputTokens: 100,
  maxOutputTokens: 1_000,
  maxSearches: 0,
  billsSearchesOnce: false,
  price: priceOf(1_000_000_000n),
  images: 0,
};
const TEXT = 'some words that came out';
const TEXT_TOKENS = 5;

function observed(reported: Partial<Usage> | undefined, more: Partial<ObservedResponse> = {}): ObservedResponse {
  const usage = reported === undefined ? undefined : usageOf(reported);
  return { reported: usage, unreadable: undefined, text: TEXT, unreported: '', sentBytes: 1_000, ...more };
}

/** Meters a response whose price is checked. */
async function metered(seen: ObservedResponse, call: MeteredCall) {
  const { priced, ...rest } = await meter(seen, call);
  expect(priced).toEqual(priceUsage(call.price, rest.usage, call.images));
  return rest;
}

describe('repeated prompts of a response without a final report', () => {
  const call = { ...CALL, maxInputTokens: 400, maxSearches: 3 };
  const begun = usageOf({ input: 10, cache_read: 20, cache_write_5m: 30, cache_write_1h: 40 });

  it('are estimated as the first, and read from the cache what that wrote', async () => {
    const { usage, estimated } = await metered(observed(begun, { searches: 2, repeatedPrompts: 2 }), call);
    const input = { input: 30, cache_read: 200, cache_write_5m: 30, cache_write_1h: 40 };
    expect(usage).toEqual(usageOf({ ...input, output: TEXT_TOKENS, search: 2 }));
    expect(estimated).toBe(true);
  });

  it('are estimated as the counted prompt, where none was reported', async () => {
    const { usage } = await metered(observed(undefined, { searches: 1, repeatedPrompts: 1 }), call);
    expect(usage).toEqual(usageOf({ input: 2 * 77, output: TEXT_TOKENS, search: 1 }));
  });

  it('are as many as the hold covers', async () => {
    const { usage } = await metered(observed(begun, { repeatedPrompts: 9 }), { ...call, maxInputTokens: 399 });
    expect(usage).toMatchObject({ input: 30, cache_read: 200 });
  });
});

describe('a report', () => {
  it('is used when plausible', async () => {
    for (const [reported, text] of [
      [usageOf({ input: 5, output: 3 }), TEXT],
      [usageOf({ input: 5 }), ''],
    ] as const) {
      const result = await metered(observed(reported, { text }), CALL);
      expect(result).toEqual({ usage: reported, estimated: false, implausible: undefined });
    }
  });

  it('is plausible up to ten times the maximum of the request, for input and output', async () => {
    const most = usageOf({ input: 600, cache_read: 400, output: 9_000, reasoning: 1_000, search: 10 });
    expect(await metered(observed(most), CALL)).toEqual({ usage: most, estimated: false, implausible: undefined });
  });

  it('is plausible with what a provider found that searches on its own', async () => {
    const found = usageOf({ input: 3, cache_read: 60_000, output: 3, search: 1 });
    expect(await metered(observed(found), CALL)).toEqual({ usage: found, estimated: false, implausible: undefined });
    const { usage, estimated } = await metered(observed({ ...found, search: 0 }), CALL);
    expect({ estimated, input: usage.input, read: usage.cache_read }).toEqual({ estimated: true, input: 77, read: 0 });
  });

  it('counts its searches, however many they are; they make at most ten times their maximum of input plausible', async () => {
    const call = { ...CALL, maxSearches: 3 };
    for (const search of [4, 31, 1_000_000]) {
      const many = usageOf({ input: 1_000 + 10 * 300_000, output: 3, search });
      const result = await metered(observed(search === 4 ? usageOf({ input: 5, output: 3, search }) : many), call);
      expect(result).toMatchObject({ usage: { search }, estimated: false, implausible: undefined });
    }
    const more = { input: 1_001 + 10 * 300_000, output: 3, search: 1_000_000 };
    const result = await metered(observed(more), call);
    expect(result).toEqual({
      usage: usageOf({ ...more, input: 77 }),
      estimated: true,
      implausible: more,
    });
  });

  it('with more searches than the ledger accepts counts as many as the hold covers', async () => {
    const rates = [
      { bucket: Bucket.INPUT, nanosPerMillion: 1_000_000_000n },
      { bucket: Bucket.SEARCH, nanosPerMillion: 10_000_000_000_000n },
    ];
    const sheet = priceSheetOf({ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n });
    const call = { ...CALL, maxSearches: 3, price: priceOfRequest([sheet], 0, NO_ADJUSTMENT) };
    for (const search of [1_000_000_000, Number.MAX_SAFE_INTEGER]) {
      const reported = { input: 5, output: 3, search };
      expect(await metered(observed(reported), call)).toMatchObject({
        usage: { search: 3 },
        estimated: true,
        implausible: reported,
      });
    }
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
      { input: 1_001, output: 10_001 },
      { input: 77, output: TEXT_TOKENS },
    ],
    [
      { input: Number.MAX_SAFE_INTEGER, output: 3 },
      { input: 77, output: 3 },
    ],
  ])('of %o is beyond that, so that %o is charged', async (reported, charged) => {
    const result = await metered(observed(reported), CALL);
    expect(result).toEqual({ usage: usageOf(charged), estimated: true, implausible: reported });
  });

  it('that the ledger would reject is implausible', async () => {
    const call = { ...CALL, price: priceOf(MAX_CHARGE_NANOS * 1_000n) };
    const reported = { input: 501, output: 500 };
    const result = await metered(observed(reported), call);
    expect(result).toEqual({
      usage: usageOf({ input: 77, output: TEXT_TOKENS }),
      estimated: true,
      implausible: reported,
    });
  });

  it('that the ledger would reject together with counted tokens is implausible', async () => {
    const call = { ...CALL, maxOutputTokens: 2_000, price: priceOf(MAX_CHARGE_NANOS * 400n) };
    for (const [reported, more] of [
      [{ input: 1_001, output: 2_490 }, {}],
      [{ input: 1_000, output: 1_499 }, { unreported: TEXT }],
    ] as const) {
      const { usage, ...rest } = await metered(observed(reported, more), call);
      expect(usage).toEqual(usageOf({ input: 77, output: TEXT_TOKENS }));
      expect(rest).toEqual({ estimated: true, implausible: reported });
    }
  });

  it('that cannot be read is recorded unchanged', async () => {
    const unreadable = { input: 5, output: 1e308 };
    const result = await metered(observed(undefined, { unreadable }), CALL);
    expect(result).toEqual({
      usage: usageOf({ input: 77, output: TEXT_TOKENS }),
      estimated: true,
      implausible: unreadable,
    });
  });
});

describe('the tokenizer counts', () => {
  const charged = async (seen: ObservedResponse, call = CALL) => {
    const { usage, estimated, implausible } = await metered(seen, call);
    expect({ estimated, implausible }).toEqual({ estimated: true, implausible: undefined });
    return usage;
  };

  it('at most as many input tokens as bytes were sent, where much of the request was left out', async () => {
    expect(await charged(observed(undefined, { sentBytes: 40 }))).toEqual(usageOf({ input: 40, output: TEXT_TOKENS }));
  });

  it('everything where nothing was reported', async () => {
    for (const reported of [undefined, {}]) {
      expect(await charged(observed(reported))).toEqual(usageOf({ input: 77, output: TEXT_TOKENS }));
    }
  });

  it('the output, where only the input was reported before the response was interrupted', async () => {
    const usage = await charged(observed({ input: 5, cache_read: 40 }));
    expect(usage).toEqual(usageOf({ input: 5, cache_read: 40, output: TEXT_TOKENS }));
  });

  it('the input, where only the output was reported', async () => {
    expect(await charged(observed({ output: 30 }))).toEqual(usageOf({ input: 77, output: 30 }));
  });

  it('text after the report, in addition to it', async () => {
    const usage = await charged(observed({ input: 5, output: 1, reasoning: 2 }, { unreported: TEXT }));
    expect(usage).toEqual(usageOf({ input: 5, output: 1 + TEXT_TOKENS, reasoning: 2 }));
  });

  it('never more than the maximum of the request, however the upstream’s tokenizer differs', async () => {
    const call = { ...CALL, maxInputTokens: 50, maxOutputTokens: 4 };
    expect(await charged(observed(undefined), call)).toEqual(usageOf({ input: 50, output: 4 }));
    const usage = await charged(observed({ input: 5, output: 3 }, { unreported: TEXT }), call);
    expect(usage).toEqual(usageOf({ input: 5, output: 4 }));
  });
});
