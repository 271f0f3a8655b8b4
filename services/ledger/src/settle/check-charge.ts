import { CAP_PERIOD_OF_LABEL, CAP_PERIODS } from '@tollgate/common/cap-periods';
import {
  MAX_ATTEMPTS,
  MAX_CHARGE_NANOS,
  MAX_CHARGE_NODES,
  MAX_CHARGE_TEXT_LENGTH,
  MAX_CLIENT_ID_LENGTH,
  MAX_QUANTITY,
  MAX_REPORTED_USAGE_LENGTH,
} from '@tollgate/common/charge-bounds';
import { isUuid } from '@tollgate/common/ids';
import { FULL_DISCOUNT_PPM, lineAmount } from '@tollgate/common/money';
import { type CapPeriod, type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { SESSION_SCOPE } from '../store/ceilings.ts';
import { bucketIndex } from '../store/usage.ts';

const MAX_LINES = 32;
const MAX_TAGS = 16;
/** The model is part of an index, whose entries Postgres bounds at 2,704 bytes. */
const MAX_MODEL_BYTES = 2_000;

const TEXT_FIELDS = [
  'keyName',
  'model',
  'provider',
  'deployment',
  'protocolIn',
  'protocolOut',
  'finishReason',
  'priceVersion',
] as const satisfies readonly (keyof Charge)[];

const CLIENT_IDS = ['clientSessionId', 'agentId', 'parentAgentId'] as const satisfies readonly (keyof Charge)[];

const TRACE_ID = /^[0-9a-f]{32}$/;
/** A name of a closed list, which cannot be text of a provider. Names of newer ingresses are accepted. */
const NAME = /^[a-z_]{1,40}$/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const VERSION_DIGIT = 14;
const CAP_PERIODS_KNOWN: ReadonlySet<CapPeriod> = new Set(CAP_PERIODS.map((period) => CAP_PERIOD_OF_LABEL[period]));
const PERIODS_OF_SESSIONS: ReadonlySet<CapPeriod> = new Set([CAP_PERIOD_OF_LABEL.session]);

/** Why a settlement record can never be posted, independent of the ledger's state; undefined when it can. */
export function checkCharge(charge: Charge): string | undefined {
  if (!isUuid(charge.requestId) || charge.requestId[VERSION_DIGIT] !== '7') return 'request_id is not a UUIDv7';
  if (!isUuid(charge.accountId)) return 'account_id is not a UUID';
  if (!isUuid(charge.sessionId)) return 'session_id is not a UUID';
  if (!isUuid(charge.keyId)) return 'key_id is not a UUID';
  if (!TRACE_ID.test(charge.traceId)) return 'trace_id is not 32 lower-case hex digits';
  for (const field of TEXT_FIELDS) {
    const problem = textProblem(field, charge[field]);
    if (problem !== undefined) return problem;
  }
  for (const field of CLIENT_IDS) {
    const problem = textProblem(field, charge[field], MAX_CLIENT_ID_LENGTH);
    if (problem !== undefined) return problem;
  }
  if (Buffer.byteLength(charge.model) > MAX_MODEL_BYTES) return `model is longer than ${MAX_MODEL_BYTES} bytes`;
  return (
    checkFigures(charge) ??
    checkLines(charge) ??
    checkCaps('caps', charge.caps) ??
    checkNodes(charge) ??
    checkTags(charge) ??
    checkReportedUsage(charge) ??
    checkFailure(charge)
  );
}

function textProblem(name: string, text: string, maxLength = MAX_CHARGE_TEXT_LENGTH): string | undefined {
  if (text.length > maxLength) return `${name} is longer than ${maxLength} characters`;
  if (text.includes('\0')) return `${name} holds a NUL character`;
  return undefined;
}

function checkFigures(charge: Charge): string | undefined {
  if (!isChargeStatus(charge.status)) return 'status is not known';
  if (charge.firstTokenMs < -1) return 'first_token_ms is below -1';
  if (charge.durationMs < 0) return 'duration_ms is negative';
  if (charge.retries < 0) return 'retries is negative';
  if (charge.holdNanos < 0n || charge.holdNanos > MAX_CHARGE_NANOS) return 'hold_nanos is out of bounds';
  if (charge.costNanos < 0n || charge.costNanos > MAX_CHARGE_NANOS) return 'cost_nanos is out of bounds';
  const { upstreamCostNanos: upstream } = charge;
  if (upstream !== undefined && (upstream < 0n || upstream > MAX_CHARGE_NANOS))
    return 'upstream_cost_nanos is out of bounds';
  const { baseCostNanos: base } = charge;
  if (base !== undefined && (base < 0n || base > MAX_CHARGE_NANOS)) return 'base_cost_nanos is out of bounds';
  if (charge.discountPpm < 0 || charge.discountPpm > FULL_DISCOUNT_PPM) return 'discount_ppm is out of bounds';
  return undefined;
}

function isChargeStatus(status: number): boolean {
  return status === ChargeStatus.COMPLETED || status === ChargeStatus.CANCELLED || status === ChargeStatus.FAILED;
}

function checkLines(charge: Charge): string | undefined {
  if (charge.lines.length > MAX_LINES) return `there are more than ${MAX_LINES} lines`;
  let sum = 0n;
  for (const [index, line] of charge.lines.entries()) {
    if (bucketIndex(line.bucket) === undefined) return `lines[${index}].bucket is not known`;
    if (line.quantity < 0n || line.quantity > MAX_QUANTITY) return `lines[${index}].quantity is out of bounds`;
    if (line.rateNanosPerMillion < 0n) return `lines[${index}].rate_nanos_per_million is negative`;
    if (line.amountNanos !== lineAmount(line.quantity, line.rateNanosPerMillion, charge.discountPpm)) {
      return `lines[${index}].amount_nanos is not quantity * rate less the discount`;
    }
    sum += line.amountNanos;
  }
  return sum === charge.costNanos ? checkBaseCost(charge) : 'cost_nanos is not the sum of the lines';
}

/** All lines have a list rate, or none. */
function checkBaseCost({ lines, baseCostNanos }: Charge): string | undefined {
  let sum = 0n;
  for (const [index, { quantity, listRateNanosPerMillion: rate }] of lines.entries()) {
    if ((rate === undefined) !== (baseCostNanos === undefined)) {
      return `lines[${index}].list_rate_nanos_per_million is not there together with base_cost_nanos`;
    }
    if (rate === undefined) continue;
    if (rate < 0n) return `lines[${index}].list_rate_nanos_per_million is negative`;
    sum += lineAmount(quantity, rate);
  }
  return sum === (baseCostNanos ?? 0n) ? undefined : 'base_cost_nanos is not the sum of the lines at list rates';
}

function checkCaps(name: string, caps: readonly CapPeriod[], known = CAP_PERIODS_KNOWN): string | undefined {
  for (const [index, period] of caps.entries()) {
    if (!known.has(period)) return `${name}[${index}] is not known`;
    if (caps.indexOf(period) !== index) return `${name}[${index}] was named before`;
  }
  return undefined;
}

function checkNodes({ keyId, nodes }: Charge): string | undefined {
  if (nodes.length > MAX_CHARGE_NODES) return `there are more than ${MAX_CHARGE_NODES} nodes`;
  for (const [index, { nodeId, caps, name, scope }] of nodes.entries()) {
    if (!isUuid(nodeId)) return `nodes[${index}].node_id is not a UUID`;
    if (nodeId === keyId) return `nodes[${index}].node_id is key_id`;
    if (nodes.findIndex((node) => node.nodeId === nodeId) < index) return `nodes[${index}].node_id was named before`;
    if (!NAME.test(scope)) return `nodes[${index}].scope is not that of a node`;
    const known = scope === SESSION_SCOPE ? PERIODS_OF_SESSIONS : CAP_PERIODS_KNOWN;
    const problem = textProblem(`nodes[${index}].name`, name) ?? checkCaps(`nodes[${index}].caps`, caps, known);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkTags({ tags }: Charge): string | undefined {
  const entries = Object.entries(tags);
  if (entries.length > MAX_TAGS) return `there are more than ${MAX_TAGS} tags`;
  for (const text of entries.flat()) {
    const problem = textProblem('a tag', text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The billing API parses the text, so it must be an object. */
function checkReportedUsage({ reportedUsage }: Charge): string | undefined {
  if (reportedUsage === '') return undefined;
  if (reportedUsage.length > MAX_REPORTED_USAGE_LENGTH) {
    return `reported_usage is longer than ${MAX_REPORTED_USAGE_LENGTH} characters`;
  }
  if (CONTROL_CHARACTER.test(reportedUsage)) return 'reported_usage holds a control character';
  return isJsonObject(reportedUsage) ? undefined : 'reported_usage is not a JSON object';
}

function checkFailure({ httpStatus, errorType, attempts }: Charge): string | undefined {
  if (!isStatusOrNone(httpStatus)) return 'http_status is not a status';
  if (errorType !== '' && !NAME.test(errorType)) return 'error_type is not a name';
  if (attempts.length > MAX_ATTEMPTS) return `there are more than ${MAX_ATTEMPTS} attempts`;
  for (const [index, attempt] of attempts.entries()) {
    const problem = textProblem(`attempts[${index}].deployment`, attempt.deployment);
    if (problem !== undefined) return problem;
    if (attempt.startedMs < 0) return `attempts[${index}].started_ms is negative`;
    if (attempt.durationMs < 0) return `attempts[${index}].duration_ms is negative`;
    if (attempt.cause !== '' && !NAME.test(attempt.cause)) return `attempts[${index}].cause is not a name`;
    if (!isStatusOrNone(attempt.providerStatus)) return `attempts[${index}].provider_status is not a status`;
  }
  return undefined;
}

function isStatusOrNone(status: number): boolean {
  return status === 0 || (status >= 100 && status <= 999);
}

function isJsonObject(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return text.startsWith('{');
}
