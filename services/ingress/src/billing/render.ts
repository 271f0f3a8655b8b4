import { dashTraceId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import {
  type Balance,
  type Charge,
  ChargeStatus,
  type Deposit,
  DepositKind,
  type UsageRow,
} from '@tollgate/proto/ledger';
import { readVersionText } from '../pricing/price-sheet.ts';

const CURRENCY = 'USD';

/** Parts per million of one percent. */
const PPM_PER_PERCENT = 10_000;

/** A billing record as design section 10 lists its fields. Money is decimal text. */
export function renderCharge(charge: Charge): object {
  const { version, aboveInputTokens } = readVersionText(charge.priceVersion);
  return {
    request_id: charge.requestId,
    trace_id: dashTraceId(charge.traceId),
    key_id: charge.keyId,
    key_name: charge.keyName,
    tags: charge.tags,
    model: charge.model,
    provider: charge.provider,
    deployment: charge.deployment,
    protocol_in: charge.protocolIn,
    protocol_out: charge.protocolOut,
    streamed: charge.streamed,
    status: chargeStatusName(charge.status),
    finish_reason: charge.finishReason === '' ? null : charge.finishReason,
    started_at: time(charge.startedAtMs),
    first_token_ms: charge.firstTokenMs < 0 ? null : charge.firstTokenMs,
    duration_ms: charge.durationMs,
    retries: charge.retries,
    usage: Object.fromEntries(charge.lines.map((line) => [line.bucket, Number(line.quantity)])),
    usage_estimated: charge.usageEstimated,
    reported_usage: charge.reportedUsage === '' ? null : JSON.parse(charge.reportedUsage),
    lines: charge.lines.map((line) => ({
      bucket: line.bucket,
      quantity: Number(line.quantity),
      rate_per_million: formatDollars(line.rateNanosPerMillion),
      amount: formatDollars(line.amountNanos),
    })),
    price_version: version,
    price_tier: aboveInputTokens === 0 ? null : { above_input_tokens: aboveInputTokens },
    discount_percent: formatPercent(charge.discountPpm),
    cost: formatDollars(charge.chargedNanos),
    currency: CURRENCY,
  };
}

export function renderUsageRow(row: UsageRow, byModel: boolean, byKey: boolean): object {
  return {
    start: time(row.startMs),
    ...(byModel ? { model: row.model } : {}),
    ...(byKey ? { key_id: row.keyId } : {}),
    requests: Number(row.requests),
    usage: Object.fromEntries(row.usage.map((bucket) => [bucket.bucket, Number(bucket.quantity)])),
    cost: formatDollars(row.costNanos),
    currency: CURRENCY,
  };
}

export function renderBalance(balance: Balance): object {
  return {
    balance: formatDollars(balance.balanceNanos),
    held: formatDollars(balance.heldNanos),
    available: formatDollars(balance.availableNanos),
    owed: formatDollars(balance.receivableNanos),
    suspended: balance.suspended,
    currency: CURRENCY,
  };
}

export function renderDeposit(deposit: Deposit): object {
  return {
    deposit_id: deposit.depositId,
    kind: depositKindName(deposit.kind),
    amount: formatDollars(deposit.amountNanos),
    owed: formatDollars(deposit.owedNanos),
    currency: CURRENCY,
    reason: deposit.reason,
    created_at: time(deposit.createdAtMs),
  };
}

export const CHARGE_STATUS_NAMES = ['completed', 'cancelled', 'failed'] as const;
export type ChargeStatusName = (typeof CHARGE_STATUS_NAMES)[number];

export function chargeStatusOf(name: ChargeStatusName): ChargeStatus {
  switch (name) {
    case 'completed':
      return ChargeStatus.COMPLETED;
    case 'cancelled':
      return ChargeStatus.CANCELLED;
    case 'failed':
      return ChargeStatus.FAILED;
    default:
      return name satisfies never;
  }
}

function chargeStatusName(status: ChargeStatus): string {
  switch (status) {
    case ChargeStatus.COMPLETED:
      return 'completed';
    case ChargeStatus.CANCELLED:
      return 'cancelled';
    case ChargeStatus.FAILED:
      return 'failed';
    case ChargeStatus.UNSPECIFIED:
      return 'unknown';
    default:
      return status satisfies never;
  }
}

function depositKindName(kind: DepositKind): string {
  switch (kind) {
    case DepositKind.DEPOSIT:
      return 'deposit';
    case DepositKind.ADJUSTMENT:
      return 'adjustment';
    case DepositKind.REFUND:
      return 'refund';
    case DepositKind.DISPUTE:
      return 'dispute';
    case DepositKind.UNSPECIFIED:
      return 'unknown';
    default:
      return kind satisfies never;
  }
}

/** Percent as exact decimal text, such as `12.5`. */
function formatPercent(ppm: number): string {
  const fraction = String(ppm % PPM_PER_PERCENT)
    .padStart(4, '0')
    .replace(/0+$/, '');
  const whole = Math.floor(ppm / PPM_PER_PERCENT);
  return fraction === '' ? `${whole}` : `${whole}.${fraction}`;
}

function time(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}
