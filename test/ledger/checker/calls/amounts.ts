import type { Charge } from '@tollgate/proto/ledger';

/**
 * A line's amount, calculated independently of the code under test: of the integers around the exact quotient, the nearest
 * one, and of two equally near ones the even one.
 */
export function exactAmount(quantity: bigint, rate: bigint, discountPpm: number): bigint {
  const product = quantity * rate * (1_000_000n - BigInt(discountPpm));
  const divisor = 1_000_000_000_000n;
  const floor = product / divisor;
  const belowBy = product - floor * divisor;
  const aboveBy = divisor - belowBy;
  if (belowBy === aboveBy) return floor % 2n === 0n ? floor : floor + 1n;
  return belowBy < aboveBy ? floor : floor + 1n;
}

/** Whether all lines and their sums are correct, at list rates too. */
function checkedAmounts(charge: Charge): boolean {
  let sum = 0n;
  let base = 0n;
  for (const line of charge.lines) {
    if (line.amountNanos !== exactAmount(line.quantity, line.rateNanosPerMillion, charge.discountPpm)) return false;
    sum += line.amountNanos;
    if (line.listRateNanosPerMillion !== undefined) base += exactAmount(line.quantity, line.listRateNanosPerMillion, 0);
  }
  return sum === charge.costNanos && base === (charge.baseCostNanos ?? 0n);
}

/** Whether a charge has a UUIDv7, valid UUIDs, storable text and correct amounts. */
export function isWellFormed(charge: Charge): boolean {
  if (charge.finishReason.includes('\0')) return false;
  const nodes = charge.nodes.map(({ nodeId }) => nodeId);
  if (new Set([charge.keyId, ...nodes]).size <= nodes.length) return false;
  const uuids = [charge.requestId, charge.accountId, charge.sessionId, charge.keyId, ...nodes];
  return uuids.every((id) => /^[0-9a-f-]{36}$/.test(id)) && charge.requestId[14] === '7' && checkedAmounts(charge);
}
