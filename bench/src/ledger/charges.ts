import { lineAmount } from '@tollgate/common/money';
import { buildCharge } from '@tollgate/ledger/testing/build-charge';
import type { Charge } from '@tollgate/proto/ledger';
import type { Owner } from './owners.ts';

const MODELS = ['gpt-4o-mini', 'claude-sonnet-4', 'gemini-2.5-flash'];
const INPUT_RATE = 150_000_000n;
const CACHED_RATE = 75_000_000n;
const OUTPUT_RATE = 600_000_000n;

/** Charges as an ingress sends them, spread evenly over owners and models, of partly cached input and output. */
export function makeCharges(owners: readonly Owner[], count: number): Charge[] {
  return Array.from({ length: count }, (_, index) => {
    const owner = owners[(index * 7) % owners.length];
    if (owner === undefined) throw new RangeError('there are no owners');
    return makeCharge(owner, index);
  });
}

function makeCharge(owner: Owner, index: number): Charge {
  const lines = [
    line('input', BigInt(200 + (index % 1_900)), INPUT_RATE),
    line('cache_read', BigInt(1_024 * (index % 4)), CACHED_RATE),
    line('output', BigInt(20 + (index % 700)), OUTPUT_RATE),
  ].filter(({ quantity }) => quantity > 0n);
  const costNanos = lines.reduce((sum, { amountNanos }) => sum + amountNanos, 0n);
  return buildCharge(
    {
      ...owner,
      keyName: 'benchmark key',
      model: MODELS[index % MODELS.length] ?? '',
      streamed: index % 2 === 0,
      firstTokenMs: 120 + (index % 400),
      durationMs: 950 + (index % 3_000),
      lines,
      priceVersion: '2026-01-01',
      holdNanos: costNanos * 3n,
    },
    costNanos,
  );
}

function line(bucket: string, quantity: bigint, rateNanosPerMillion: bigint): Charge['lines'][number] {
  return { bucket, quantity, rateNanosPerMillion, amountNanos: lineAmount(quantity, rateNanosPerMillion) };
}
