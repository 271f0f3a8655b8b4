import { copyText } from '@tollgate/common/postgres/copy-in';
import type { Charge, ChargeLine } from '@tollgate/proto/ledger';
import { chargeStatusLabel } from './charge-status.ts';

/** Columns of ledger.charges that a charge brings with it, in the order of chargeText. */
export const CHARGE_TEXT_COLUMNS = `account_id, request_id, session_id, key_id, trace_id, started_at_ms, hold_nanos,
  cost_nanos, first_token_ms, duration_ms, retries, status, discount_ppm, streamed, usage_estimated, key_name, model,
  provider, deployment, protocol_in, protocol_out, finish_reason, price_version, lines`;

/**
 * A well-formed charge as values of its columns, in the format that COPY takes. Its hash tells repeated records, so what
 * is added for a new column must be empty for charges that do not use it.
 */
export function chargeText(charge: Charge): string {
  return `${charge.accountId}\t${charge.requestId}\t${charge.sessionId}\t${charge.keyId}\t${charge.traceId}\t${charge.startedAtMs}\t${charge.holdNanos}\t${charge.costNanos}\t${charge.firstTokenMs}\t${charge.durationMs}\t${charge.retries}\t${chargeStatusLabel(charge.status)}\t${charge.discountPpm}\t${charge.streamed}\t${charge.usageEstimated}\t${copyText(charge.keyName)}\t${copyText(charge.model)}\t${copyText(charge.provider)}\t${copyText(charge.deployment)}\t${copyText(charge.protocolIn)}\t${copyText(charge.protocolOut)}\t${copyText(charge.finishReason)}\t${copyText(charge.priceVersion)}\t${linesText(charge.lines)}`;
}

/**
 * The stored form of charge lines: numbers are text, as JSON readers may round large ones. Nothing in it needs quoting,
 * as only known buckets are well-formed.
 */
function linesText(lines: readonly ChargeLine[]): string {
  let text = '';
  for (const { bucket, quantity, rateNanosPerMillion, amountNanos } of lines) {
    text += `${text === '' ? '' : ','}["${bucket}","${quantity}","${rateNanosPerMillion}","${amountNanos}"]`;
  }
  return `[${text}]`;
}
