import { chargeStatusName, renderCharge } from '@tollgate/common/billing/charge';
import { failureLabel, outcomeLabel, renderAttempts, renderFailure } from '@tollgate/common/billing/failure';
import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { dashTraceId } from '@tollgate/common/ids';
import { formatDollars, formatPercent } from '@tollgate/common/money';
import type { Charge } from '@tollgate/proto/ledger';
import { jsonTime } from '../terminal/print.ts';
import { formatFields, formatTable, formatTime } from './table.ts';

/** One request as a row: id, start, model, key, status, cost. */
export function chargeRow(charge: Charge): string[] {
  return [
    charge.requestId,
    formatTime(charge.startedAtMs),
    charge.model,
    charge.keyName,
    statusText(charge, renderFailure(charge)?.cause ?? ''),
    formatDollars(charge.chargedNanos),
  ];
}

/** One request with its cost lines, as text. */
export function chargeFields(charge: Charge): string {
  const { upstreamCostNanos: upstreamCost } = charge;
  const fields = formatFields([
    ['request', charge.requestId],
    ['trace', dashTraceId(charge.traceId)],
    ['started', formatTime(charge.startedAtMs)],
    ['model', `${charge.model} at ${charge.provider} (${charge.deployment})`],
    ['key', `${charge.keyName} (${charge.keyId})`],
    ['tags', tagList(charge.tags)],
    ['session', charge.clientSessionId === '' ? 'none' : charge.clientSessionId],
    ['agent', agentText(charge)],
    ['protocol', `${charge.protocolIn} to ${charge.protocolOut}${charge.streamed ? ', streamed' : ''}`],
    ['status', statusText(charge, charge.finishReason)],
    ...failureFields(charge),
    ['first token', charge.firstTokenMs < 0 ? 'none' : `${charge.firstTokenMs} ms`],
    ['duration', `${charge.durationMs} ms`],
    ['retries', String(charge.retries)],
    ['usage', usageSource(charge)],
    ['price', charge.priceVersion],
    ['options', optionText(charge)],
    ['discount', `${formatPercent(charge.discountPpm)} %`],
    ['held', `${formatDollars(charge.holdNanos)} USD`],
    ['cost', `${formatDollars(charge.chargedNanos)} USD`],
    ['operator loss', `${formatDollars(operatorLoss(charge))} USD`],
    ['upstream cost', upstreamCost === undefined ? 'not reported' : `${formatDollars(upstreamCost)} USD`],
    ['margin', upstreamCost === undefined ? 'not known' : `${formatDollars(charge.chargedNanos - upstreamCost)} USD`],
  ]);
  const columns = [
    { title: 'BUCKET' },
    { title: 'QUANTITY', align: 'right' as const },
    { title: 'USD PER MILLION', align: 'right' as const },
    { title: 'AMOUNT (USD)', align: 'right' as const },
  ];
  const rows = charge.lines.map((line) => [
    line.bucket,
    line.quantity.toString(),
    formatDollars(line.rateNanosPerMillion),
    formatDollars(line.amountNanos),
  ]);
  return `${fields}\n${attemptTable(charge)}${formatTable(columns, rows, 'It cost nothing.')}`;
}

function statusText({ status }: Charge, detail: string): string {
  return `${chargeStatusName(status) ?? 'unknown'}${detail === '' ? '' : ` (${detail})`}`;
}

/** What failed, what the client got, and what to do next. */
function failureFields(charge: Charge): [string, string][] {
  const failure = renderFailure(charge);
  if (failure === null) return [];
  const { http_status: status, error_type: type, cause, sentence, action } = failure;
  return [
    ['failure', sentence === '' ? failureLabel(cause) : sentence],
    ['client got', status === null ? 'nothing: it had disconnected' : `${status} ${type}`],
    ['what to do', action],
  ];
}

/** The calls to providers; empty text if the first one succeeded. */
function attemptTable(charge: Charge): string {
  if (charge.attempts.length === 0) return '';
  const columns = [
    { title: 'ATTEMPT' },
    { title: 'STARTED (MS)', align: 'right' as const },
    { title: 'DURATION (MS)', align: 'right' as const },
    { title: 'OUTCOME' },
    { title: 'PROVIDER STATUS', align: 'right' as const },
  ];
  const rows = renderAttempts(charge).map((attempt) => [
    attempt.deployment,
    String(attempt.started_ms),
    String(attempt.duration_ms),
    outcomeLabel(attempt.outcome),
    attempt.provider_status === null ? 'none' : String(attempt.provider_status),
  ]);
  return `${formatTable(columns, rows, '')}\n`;
}

/** What chose other rates, such as `service_tier flex`. */
function optionText({ priceVersion }: Charge): string {
  const options = Object.entries(parsePriceVersion(priceVersion).options).map((option) => option.join(' '));
  return options.length === 0 ? 'none' : options.join(', ');
}

/** One request as JSON: its record in the billing API, and what only operators see. */
export function chargeJson(charge: Charge) {
  const { upstreamCostNanos: upstreamCost } = charge;
  return {
    ...renderCharge(charge),
    account_id: charge.accountId,
    operator_loss: formatDollars(operatorLoss(charge)),
    upstream_cost: upstreamCost === undefined ? null : formatDollars(upstreamCost),
    margin: upstreamCost === undefined ? null : formatDollars(charge.chargedNanos - upstreamCost),
    settled_at: jsonTime(charge.settledAtMs),
  };
}

/** What the usage cost beyond the hold; the account did not pay it. */
function operatorLoss(charge: Charge): bigint {
  return charge.costNanos - charge.chargedNanos;
}

function usageSource({ usageEstimated, reportedUsage }: Charge): string {
  if (!usageEstimated) return 'as reported';
  return reportedUsage === '' ? 'estimated' : `estimated, reported as ${reportedUsage}`;
}

/** The agent and the one that started it. */
function agentText({ agentId, parentAgentId }: Charge): string {
  if (agentId === '') return 'none';
  return parentAgentId === '' ? agentId : `${agentId}, started by ${parentAgentId}`;
}

function tagList(tags: Charge['tags']): string {
  const list = Object.entries(tags).map(([name, value]) => `${name}:${value}`);
  return list.length === 0 ? 'none' : list.join(', ');
}
