import { costOf } from './prices.ts';
import type { Sent } from './sent.ts';

/** A charge recorded by the ledger. */
export interface Booked {
  accountId: string;
  requestId: string;
  chargedNanos: bigint;
  costNanos: bigint;
  holdNanos: bigint;
  /** Quantities by bucket. */
  usage: Record<string, number>;
}

export interface JudgeOptions {
  sent: readonly Sent[];
  booked: readonly Booked[];
  /** Whether an ingress ran from one moment to another. */
  lived: (ingress: string, from: number, to: number) => boolean;
}

/** Maximum time for an ingress to journal the charge after its client disconnected. */
const WRITTEN_WITHIN_MS = 5_000;

/** Compares responses with charges; each finding is a violation. */
export function judge({ sent, booked, lived }: JudgeOptions): string[] {
  const findings: string[] = [];
  const byId = new Map<string, Booked>();
  for (const charge of booked) {
    if (byId.has(charge.requestId)) findings.push(`request ${charge.requestId}: charged twice`);
    byId.set(charge.requestId, charge);
    if (charge.chargedNanos > charge.holdNanos || charge.chargedNanos > charge.costNanos)
      findings.push(`request ${charge.requestId}: charged ${charge.chargedNanos}, beyond its hold or cost`);
  }
  for (const one of sent) {
    const charge = one.requestId === undefined ? undefined : byId.get(one.requestId);
    const complaints = [
      ...(one.complaint === undefined ? [] : [one.complaint]),
      ...(charge === undefined ? uncharged(one, lived) : charged(one, charge)),
      ...breakage(one, lived),
    ];
    findings.push(...complaints.map((complaint) => `${describe(one)}: ${complaint}`));
  }
  return [...findings, ...unknownCharges(sent, booked)];
}

/** Findings for a request without a charge. */
function uncharged(one: Sent, lived: JudgeOptions['lived']): string[] {
  switch (one.outcome) {
    case 'completed':
      return ['it was received completely, without a charge'];
    case 'disconnected':
    case 'failed':
      // A killed ingress loses what it had not written.
      return one.counted.output > 0 && lived(one.ingress, one.startedAt, one.endedAt + WRITTEN_WITHIN_MS)
        ? [`${one.counted.output} tokens were delivered by an ingress that kept running, without a charge`]
        : [];
    case 'rejected':
    case 'broken':
    case 'unreached':
      return [];
    default:
      return one.outcome satisfies never;
  }
}

/** Findings for a request's charge. */
function charged(one: Sent, charge: Booked): string[] {
  const wrong: string[] = [];
  if (charge.accountId !== one.accountId) wrong.push(`charged to another account, ${charge.accountId}`);
  switch (one.outcome) {
    case 'completed': {
      const due = costOf(one.model, one.counted);
      if (charge.chargedNanos !== due) wrong.push(`charged ${charge.chargedNanos} instead of ${due}`);
      if (one.reported !== due) wrong.push(`reported a cost of ${one.reported} instead of ${due}`);
      const { input, cached, output } = one.counted;
      const billed = [charge.usage['input'] ?? 0, charge.usage['cache_read'] ?? 0, charge.usage['output'] ?? 0];
      if (billed.join() !== [input - cached, cached, output].join())
        wrong.push(
          `billed ${billed.join(' + ')} tokens where the client counts ${input - cached} + ${cached} + ${output}`,
        );
      // With a small balance, messages clients get a lower limit instead of an error.
      const isCut = one.protocol === 'anthropic-messages' && output < one.requested;
      if (output !== one.requested && !isCut)
        wrong.push(`${output} of ${one.requested} tokens arrived in a complete response`);
      break;
    }
    case 'rejected':
    case 'unreached':
      if (charge.chargedNanos > 0n) wrong.push(`was rejected, and charged ${charge.chargedNanos}`);
      break;
    case 'disconnected':
    case 'failed':
    case 'broken':
      if (charge.chargedNanos > one.max)
        wrong.push(`charged ${charge.chargedNanos}, more than the maximum, ${one.max}`);
      break;
    default:
      one.outcome satisfies never;
  }
  return wrong;
}

/** A connection may break only because its ingress died. */
function breakage(one: Sent, lived: JudgeOptions['lived']): string[] {
  const isBroken = one.outcome === 'broken' || one.outcome === 'unreached';
  // The ingress may have died just before the request: then nothing listens until it restarts.
  const from = one.outcome === 'unreached' ? one.startedAt - 60_000 : one.startedAt - 1_000;
  return isBroken && lived(one.ingress, from, one.endedAt)
    ? [`${one.outcome}, although ${one.ingress} kept running`]
    : [];
}

/** Charges of unknown request ids must belong to requests that were aborted before their response head. */
function unknownCharges(sent: readonly Sent[], booked: readonly Booked[]): string[] {
  const known = new Set(sent.map((one) => one.requestId));
  const headless = new Map<string, number>();
  for (const one of sent) {
    if (one.requestId === undefined && one.outcome !== 'unreached')
      headless.set(one.accountId, (headless.get(one.accountId) ?? 0) + 1);
  }
  const findings: string[] = [];
  for (const charge of booked.filter(({ requestId }) => !known.has(requestId))) {
    const left = headless.get(charge.accountId) ?? 0;
    if (left === 0) findings.push(`request ${charge.requestId}: charged, and no client sent it`);
    headless.set(charge.accountId, left - 1);
  }
  return findings;
}

function describe(one: Sent): string {
  const how = `${one.client} ${one.protocol} ${one.streamed ? 'streamed' : 'buffered'} ${one.model}`;
  return `request ${one.requestId ?? '(no head)'} (${how}, ${one.outcome}, ${one.ingress})`;
}
