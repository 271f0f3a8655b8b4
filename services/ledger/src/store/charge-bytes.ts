import { chargeStatusName } from '@tollgate/common/billing/charge';
import { BinaryWriter, uuidArray } from '@tollgate/common/postgres/binary-writer';
import type { Charge, ChargeLine } from '@tollgate/proto/ledger';

/** Columns of ledger.charges that come from the charge itself, in the order of chargeBytes. */
export const CHARGE_COLUMNS_SENT = [
  'account_id',
  'request_id',
  'session_id',
  'key_id',
  'trace_id',
  'started_at_ms',
  'hold_nanos',
  'cost_nanos',
  'first_token_ms',
  'duration_ms',
  'retries',
  'status',
  'discount_ppm',
  'streamed',
  'usage_estimated',
  'key_name',
  'model',
  'provider',
  'deployment',
  'protocol_in',
  'protocol_out',
  'finish_reason',
  'price_version',
  'lines',
] as const;

/** Offsets of the ids, which come first: each has 16 bytes after 4 bytes of length. */
const ACCOUNT_ID_AT = 0;
const REQUEST_ID_AT = 20;

const writer = new BinaryWriter();

/**
 * The column values of a well-formed charge, in the binary format of COPY. Repeated records are recognized by the hash of
 * these bytes, so columns added later are not among them, see tagsText.
 */
export function chargeBytes(charge: Charge): Buffer {
  writer.uuid(charge.accountId);
  writer.uuid(charge.requestId);
  writer.uuid(charge.sessionId);
  writer.uuid(charge.keyId);
  writer.uuid(charge.traceId);
  writer.int8(charge.startedAtMs);
  writer.int8(charge.holdNanos);
  writer.int8(charge.costNanos);
  writer.int4(charge.firstTokenMs);
  writer.int4(charge.durationMs);
  writer.int4(charge.retries);
  writer.text(chargeStatusName(charge.status) ?? '');
  writer.int4(charge.discountPpm);
  writer.bool(charge.streamed);
  writer.bool(charge.usageEstimated);
  writer.text(charge.keyName);
  writer.text(charge.model);
  writer.text(charge.provider);
  writer.text(charge.deployment);
  writer.text(charge.protocolIn);
  writer.text(charge.protocolOut);
  writer.text(charge.finishReason);
  writer.text(charge.priceVersion);
  writer.jsonb(linesText(charge.lines));
  return writer.take();
}

/**
 * The stored form of a charge's tags, sorted by name, so that equal tags are equal text; undefined when there are none.
 */
export function tagsText(tags: Charge['tags']): string | undefined {
  const names = Object.keys(tags);
  if (names.length === 0) return undefined;
  // Objects do not keep the order of keys that look like integers.
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(tags[name])}`)
    .join(',')}}`;
}

/** The account ids of charges, as a parameter of type uuid[]. */
export function accountIdsOf(charges: readonly Uint8Array[]): Buffer {
  return uuidArray(charges, ACCOUNT_ID_AT);
}

/** The request ids of charges, as a parameter of type uuid[]. */
export function requestIdsOf(charges: readonly Uint8Array[]): Buffer {
  return uuidArray(charges, REQUEST_ID_AT);
}

/**
 * The stored form of charge lines: numbers are text, because JSON parsers may round large ones. Nothing needs escaping,
 * because only known buckets are well-formed. Lines of an account with a price of its own have the list rate too.
 */
function linesText(lines: readonly ChargeLine[]): string {
  let text = '';
  for (const { bucket, quantity, rateNanosPerMillion, amountNanos, listRateNanosPerMillion } of lines) {
    const listRate = listRateNanosPerMillion === undefined ? '' : `,"${listRateNanosPerMillion}"`;
    text += `${text === '' ? '' : ','}["${bucket}","${quantity}","${rateNanosPerMillion}","${amountNanos}"${listRate}]`;
  }
  return `[${text}]`;
}
