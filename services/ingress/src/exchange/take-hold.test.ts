import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { newId } from '@tollgate/common/ids';
import { checkCharge } from '@tollgate/ledger/settle/check-charge';
import { Charge } from '@tollgate/proto/ledger';
import { Bucket } from '@tollgate/proto/router';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWallet, record, temporaryFolder, until } from '../../testing/credit/credit-fixture.ts';
import { FakeLedger } from '../../testing/credit/fake-ledger.ts';
import { keyForTests } from '../../testing/exchange-fixture.ts';
import { Quote, type QuoteTerms } from '../plan/quote/quote.ts';
import { priceSheetOf } from '../shared/catalogue/price-sheet.ts';
import { NO_ADJUSTMENT, priceOfRequest } from '../shared/catalogue/request-price.ts';
import type { Hold, Wallet } from '../wallet/index.ts';
import { type Payer, takeHold } from './take-hold.ts';

const DOLLAR = 1_000_000_000n;
/** Number of one-dollar tokens that the largest charge pays for. */
const MOST_TOKENS = Number(MAX_CHARGE_NANOS / DOLLAR);
const INPUT_TOKENS = 10;

let ledger: FakeLedger;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let wallet: Wallet;

beforeEach(async () => {
  ledger = new FakeLedger();
  await ledger.start();
  folder = await temporaryFolder();
  wallet = createWallet(ledger.client(), folder.path);
  await wallet.start();
});

afterEach(async () => {
  await wallet.drain(0);
  ledger.stop();
  await folder.remove();
});

/** At a dollar a token. */
function quote(overrides: Partial<QuoteTerms>): Quote {
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion: DOLLAR * 1_000_000n }));
  const sheet = priceSheetOf({ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n });
  return new Quote(priceOfRequest([sheet], 0, NO_ADJUSTMENT), {
    inputTokens: INPUT_TOKENS,
    images: 0,
    outputTokens: MOST_TOKENS,
    extraOutputTokens: 0,
    choices: 1,
    isLimitFixed: false,
    minOutputTokens: 16,
    ...overrides,
  });
}

/** An account with ten times the largest charge. */
function payerWith(balance = 10n * MAX_CHARGE_NANOS): Payer {
  const accountId = newId();
  ledger.deposit(accountId, balance);
  return {
    key: keyForTests({ accountId }),
    rechargeUrl: 'https://example.com/top-up',
    consoleUrl: undefined,
    startedAtMs: Date.now(),
    insufficientStatus: 402,
    signal: new AbortController().signal,
  };
}

/** Captures the complete hold. @returns why the ledger would quarantine the charge */
async function quarantineOf(hold: Hold, { key }: Payer): Promise<string | undefined> {
  const rateNanosPerMillion = DOLLAR * 1_000_000n;
  const lines = [{ bucket: 'output', quantity: hold.nanos / DOLLAR, rateNanosPerMillion, amountNanos: hold.nanos }];
  const charge = record(key.accountId, hold.nanos, { lines });
  await hold.capture(charge);
  await until(() => ledger.charges.has(charge.requestId));
  const settled = ledger.charges.get(charge.requestId);
  if (settled === undefined) throw new Error('the charge was not settled');
  return checkCharge(Charge.decode(Charge.encode(settled).finish()));
}

it('lowers an output limit that the client did not set to what the largest charge pays for', async () => {
  const payer = payerWith();
  const held = await takeHold(wallet, quote({ extraOutputTokens: 3, choices: 2 }), payer);
  expect(held?.outputTokens).toBe((MOST_TOKENS - INPUT_TOKENS - 3 - 1) / 2);
  expect(held?.atLargestCharge).toBe(true);
  expect(held?.hold.nanos).toBe(MAX_CHARGE_NANOS);
  expect(held && (await quarantineOf(held.hold, payer))).toBeUndefined();
});

it('holds the largest charge in full', async () => {
  const payer = payerWith();
  const cost = quote({ outputTokens: MOST_TOKENS - INPUT_TOKENS, isLimitFixed: true });
  const held = await takeHold(wallet, cost, payer);
  expect(held).toMatchObject({ outputTokens: undefined, atLargestCharge: false });
  expect(held?.hold.nanos).toBe(MAX_CHARGE_NANOS);
  expect(held && (await quarantineOf(held.hold, payer))).toBeUndefined();
});

it('lowers the limit to what a smaller balance pays for', async () => {
  const held = await takeHold(wallet, quote({}), payerWith(100n * DOLLAR));
  expect(held).toMatchObject({ outputTokens: 90, atLargestCharge: false });
  held?.hold.release();
});

it.each<[string, Partial<QuoteTerms>, string]>([
  [
    'an output limit of the client’s',
    { isLimitFixed: true },
    'which pays for 999990 output tokens. Lower the output limit.',
  ],
  ['an input', { inputTokens: MOST_TOKENS }, 'which pays for no output tokens. Send a smaller request.'],
  [
    'embeddings',
    { inputTokens: MOST_TOKENS + 1, outputTokens: 0, minOutputTokens: 0, isLimitFixed: true },
    'Send a smaller request.',
  ],
])('refuses %s beyond the largest charge, and requests no credit', async (_what, overrides, remedy) => {
  const refusal = takeHold(wallet, quote(overrides), payerWith());
  await expect(refusal).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' });
  await expect(refusal).rejects.toThrow(
    /^The request may cost up to \$10000\d\d, and one request may cost at most \$1000000/,
  );
  await expect(refusal).rejects.toThrow(remedy);
  expect(ledger.acquires).toEqual([]);
});

it.each<[string, bigint, string]>([
  [
    'less output',
    100n * DOLLAR,
    'pays for 90 output tokens. Top up at https://example.com/top-up, or lower the output limit.',
  ],
  [
    'no output',
    10n * DOLLAR,
    'pays for no output tokens. Top up at https://example.com/top-up, or send a smaller request.',
  ],
])('says what helps with a balance that pays for %s', async (_what, balance, remedy) => {
  const refusal = takeHold(wallet, quote({ outputTokens: 500, isLimitFixed: true }), payerWith(balance));
  await expect(refusal).rejects.toMatchObject({ status: 402, type: 'insufficient_balance' });
  await expect(refusal).rejects.toThrow(remedy);
});

it('says which balance is too small, and what is in it', async () => {
  const payer = payerWith(10n * DOLLAR);
  await expect(takeHold(wallet, quote({ isLimitFixed: true, outputTokens: 500 }), payer)).rejects.toMatchObject({
    details: {
      recharge_url: payer.rechargeUrl,
      limit: {
        scope: 'account',
        id: payer.key.accountId,
        name: null,
        window: null,
        amount: '10',
        spent: null,
        held: '0',
        resets_at: null,
        currency: 'USD',
      },
    },
  });
});

it('says of which balance open requests hold the rest', async () => {
  const payer = payerWith(100n * DOLLAR);
  const open = await takeHold(wallet, quote({ isLimitFixed: true, outputTokens: 80 }), payer);
  await expect(takeHold(wallet, quote({ isLimitFixed: true, outputTokens: 80 }), payer)).rejects.toMatchObject({
    type: 'rate_limit_exceeded',
    details: { limit: { scope: 'account', amount: '100', spent: null, held: '90', resets_at: null } },
  });
  open?.hold.release();
});

it('gives a node the latest revision from the root down, as a change above it may change its caps', async () => {
  const payer = payerWith();
  const limits = { name: '', limits: undefined, allowedModels: [], grants: [] };
  const caps = { dayNanos: DOLLAR, weekNanos: undefined, monthNanos: undefined, totalNanos: undefined };
  const nodes = [
    { scope: 'project' as const, nodeId: 'project', ...limits, caps: undefined, revision: 5n },
    { scope: 'member' as const, nodeId: 'member', ...limits, caps, revision: 2n },
  ];
  const revisionsBelow = async (revision: bigint) => {
    const seen: [string, bigint][] = [];
    const watched = {
      hold: ({ capped }: Parameters<Wallet['hold']>[0]) => {
        for (const node of capped?.nodes ?? []) seen.push([node.nodeId, node.revision]);
        return { kind: 'aborted' as const };
      },
    } as Wallet;
    const key = { ...payer.key, keyId: 'key', nodes, caps, revision };
    await takeHold(watched, quote({}), { ...payer, key });
    return seen;
  };
  expect(await revisionsBelow(1n)).toEqual([
    ['member', 5n],
    ['key', 5n],
  ]);
  expect(await revisionsBelow(9n)).toEqual([
    ['member', 5n],
    ['key', 9n],
  ]);
});
