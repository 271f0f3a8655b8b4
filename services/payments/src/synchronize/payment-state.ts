import type { Fetched, PaymentSnapshot } from '../providers/provider.ts';
import type { PaymentRow, PaymentStateLabel } from '../store/payments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Banks return refunds weeks after they were made. */
const REFUND_MAY_FAIL_MS = 30 * DAY_MS;

/** The state of a payment by what the provider says. A payment that was credited stays so, whatever becomes of it. */
export function stateOf(current: PaymentStateLabel, { checkout, payment }: Fetched): PaymentStateLabel {
  if (current === 'settled') return 'settled';
  const state = payment?.state ?? 'unpaid';
  switch (state) {
    case 'succeeded':
      // Until the ledger has committed its credit.
      return 'pending';
    case 'processing':
      return 'pending';
    case 'canceled':
      return 'failed';
    case 'unpaid':
      return checkout === undefined || checkout.state === 'open' ? current : 'failed';
    default:
      return state satisfies never;
  }
}

/** When to look at a payment again: later and later, as long as it may change; undefined: it cannot by itself. */
export function nextCheckMs(
  { state, created_at_ms }: Pick<PaymentRow, 'state' | 'created_at_ms'>,
  payment: PaymentSnapshot | undefined,
  nowMs: number,
): number | undefined {
  const after = (sinceMs: number, min: number, max: number) =>
    nowMs + Math.min(Math.max((nowMs - sinceMs) / 4, min), max);
  switch (state) {
    case 'failed':
      return undefined;
    case 'pending':
      return payment?.state === 'processing'
        ? Math.round(after(Number(created_at_ms), 10 * MINUTE_MS, 12 * HOUR_MS))
        : Math.round(after(Number(created_at_ms), MINUTE_MS, HOUR_MS));
    case 'settled': {
      const open = [
        ...(payment?.refunds ?? []).filter(
          ({ state: its, createdAtMs }) =>
            its === 'pending' || (its === 'succeeded' && nowMs - createdAtMs < REFUND_MAY_FAIL_MS),
        ),
        ...(payment?.disputes ?? []).filter((dispute) => dispute.open),
      ];
      if (open.length === 0) return undefined;
      return Math.round(after(Math.max(...open.map(({ createdAtMs }) => createdAtMs)), 10 * MINUTE_MS, DAY_MS));
    }
    default:
      return state satisfies never;
  }
}
