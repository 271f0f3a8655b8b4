import { costOf } from './prices.ts';
import type { Sent } from './sent.ts';

/** A charge as the books have it. */
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
  /** Whether an ingress lived from one moment to another. */
  lived: (ingress: string, from: number, to: number) => boolean;
}

/** How long after its client disconnected an ingress may take to write the charge down. */
const WRITTEN_WITHIN_MS = 5_000;

/** Compares what clients received with what they were charged; each finding is one broken promise. */
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

/** What is wrong about a request that has no charge. */
function uncharged(one: Sent, lived: JudgeOptions['lived']): string[] {
  switch (one.outcome) {
    case 'completed':
      return ['its end was received, and it has no charge'];
    case 'left':
    case 'failed':
      // An ingress that is killed takes what it had not written yet with it.
      return one.counted.output > 0 && lived(one.ingress, one.startedAt, one.endedAt + WRITTEN_WITHIN_MS)
        ? [`${one.counted.output} tokens were delivered by an ingress that lived on, and it has no charge`]
        : [];
    case 'refused':
    case 'broken':
    case 'unreached':
      return [];
    default:
      return one.outcome satisfies never;
  }
}

/** What is wrong about a request's charge. */
function charged(one: Sent, charge: Booked): string[] {
  const wrong: string[] = [];
  if (charge.accountId !== one.accountId) wrong.push(`charged to another account, ${charge.accountId}`);
  switch (one.outcome) {
    case 'completed': {
      const due = costOf(one.model, one.counted);
      if (charge.chargedNanos !== due) wrong.push(`charged ${charge.chargedNanos} instead of ${due}`);
      if (one.reported !== due) wrong.push(`told a cost of ${one.reported} instead of ${due}`);
      const { input, cached, output } = one.counted;
      const billed = [charge.usage['input'] ?? 0, charge.usage['cache_read'] ?? 0, charge.usage['output'] ?? 0];
      if (billed.join() !== [input - cached, cached, output].join())
        wrong.push(
          `billed ${billed.join(' + ')} tokens where the client counts ${input - cached} + ${cached} + ${output}`,
        );
      // Where the balance binds, messages clients are given a lower limit instead of a rejection.
      const isCut = one.protocol === 'anthropic-messages' && output < one.requested;
      if (output !== one.requested && !isCut)
        wrong.push(`${output} of ${one.requested} tokens arrived in a whole answer`);
      break;
    }
    case 'refused':
    case 'unreached':
      if (charge.chargedNanos > 0n) wrong.push(`was refused, and charged ${charge.chargedNanos}`);
      break;
    case 'left':
    case 'failed':
    case 'broken':
      if (charge.chargedNanos > one.max) wrong.push(`charged ${charge.chargedNanos}, more than the most, ${one.max}`);
      break;
    default:
      one.outcome satisfies never;
  }
  return wrong;
}

/** A connection breaks because its ingress died, and for no other reason. */
function breakage(one: Sent, lived: JudgeOptions['lived']): string[] {
  const isBroken = one.outcome === 'broken' || one.outcome === 'unreached';
  // The ingress may have died a moment before the request came: then nothing listens until it is started again.
  const from = one.outcome === 'unreached' ? one.startedAt - 60_000 : one.startedAt - 1_000;
  return isBroken && lived(one.ingress, from, one.endedAt) ? [`${one.outcome}, although ${one.ingress} lived`] : [];
}

/** Charges of requests whose ids no client learned must be of requests that was cut off or were left before their head. */
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
  const how = `${one.client} ${one.protocol} ${one.streamed ? 'streamed' : 'whole'} ${one.model}`;
  return `request ${one.requestId ?? '(no head)'} (${how}, ${one.outcome}, ${one.ingress})`;
}
