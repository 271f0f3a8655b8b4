import { amountOf, linesOf, type Usage } from './arithmetic.ts';
import { CONTEXT_WINDOW, MAX_OUTPUT_TOKENS, priceOf } from './catalogue.ts';
import type { Delivery, Outcome } from './judge-response.ts';

/** A charge in the ledger. */
export interface Booked {
  requestId: string;
  accountId: string;
  model: string;
  status: string;
  streamed: boolean;
  estimated: boolean;
  holdNanos: bigint;
  costNanos: bigint;
  chargedNanos: bigint;
  /** Bucket, quantity, rate and amount. */
  lines: [string, string, string, string][];
}

/** Usage that is always accepted: the smallest input bound of a request is at least a tenth of the first number. */
const CERTAIN_INPUT = 400;
/** Usage beyond these is not always accepted. */
const ABSURD_INPUT = 20 * (CONTEXT_WINDOW + 1_000_000);
const ABSURD_OUTPUT = 11 * MAX_OUTPUT_TOKENS * 128;
/** Usage beyond this multiple of its bound is never accepted. */
const TIMES_BOUND = 10;

/** Faults in the charge of an outcome, or in its absence. */
export function judgeCharge(
  outcome: Outcome,
  delivery: Delivery,
  charges: readonly Booked[],
  accountId: string,
): string[] {
  const { request } = outcome;
  const [charge, second] = charges;
  const isPaid = request.kind === 'generate' || request.kind === 'embed';
  if (second !== undefined) return ['charged twice'];
  if (charge === undefined) {
    const isOwed =
      isPaid &&
      (delivery === 'broken' ||
        (delivery === 'complete' && outcome.received.status === 200 && outcome.reached.length > 0));
    return isOwed ? [`delivered (${delivery}) and not charged`] : [];
  }
  if (!isPaid) return ['charged for a call that costs nothing'];
  const findings = [...soundness(charge), ...(charge.accountId === accountId ? [] : ['charged to another account'])];
  switch (delivery) {
    case 'complete':
      if (charge.status !== 'completed') findings.push(`delivered completely and recorded as ${charge.status}`);
      return [...findings, ...usageFindings(outcome, charge), ...reported(outcome, charge)];
    case 'broken':
      return charge.status === 'failed' ? findings : [...findings, `broken off and recorded as ${charge.status}`];
    case 'rejected':
      return charge.chargedNanos === 0n && charge.costNanos === 0n
        ? findings
        : [...findings, `rejected and charged ${charge.chargedNanos}`];
    case 'disconnected':
      return findings;
    default:
      return delivery satisfies never;
  }
}

/** Checks that lines follow from quantities and sums from lines, and that the customer pays at most the hold. */
function soundness(charge: Booked): string[] {
  const findings: string[] = [];
  const usage = usageOf(charge);
  const images = quantityOf(charge, 'image');
  const expected = charge.lines.length === 0 ? [] : linesOf(priceOf(charge.model), usage, images);
  const written = charge.lines.map(([bucket, quantity, rate, amount]) => `${bucket} ${quantity} x ${rate} = ${amount}`);
  const due = expected.map(({ bucket, quantity, rate, amount }) => `${bucket} ${quantity} x ${rate} = ${amount}`);
  if (written.sort().join() !== due.sort().join())
    findings.push(`lines ${written.join('; ')} instead of ${due.join('; ')}`);
  const sum = charge.lines.reduce((all, [, quantity, rate]) => all + amountOf(BigInt(quantity), BigInt(rate)), 0n);
  if (charge.costNanos !== sum) findings.push(`a cost of ${charge.costNanos}, the lines' sum is ${sum}`);
  const payable = charge.costNanos < charge.holdNanos ? charge.costNanos : charge.holdNanos;
  if (charge.chargedNanos !== payable)
    findings.push(`charged ${charge.chargedNanos} of ${charge.costNanos} with a hold of ${charge.holdNanos}`);
  return findings;
}

/** Compares the billed with the reported usage. */
function usageFindings({ reached, request }: Outcome, charge: Booked): string[] {
  const call = reached.at(-1);
  if (call === undefined) return ['charged, and no call reached the upstream'];
  const { response } = call;
  const billed = usageOf(charge);
  // Without delivered output there is nothing to estimate.
  const isNothing = response.textBytes === 0 && billed.output + billed.reasoning === 0;
  const estimate = () =>
    charge.estimated || isNothing ? estimateFindings(billed, call, charge) : [`billed ${show(billed)}, not estimated`];
  switch (response.report.kind) {
    case 'unknown':
      return charge.estimated ? estimateFindings(billed, call, charge) : [];
    case 'none':
      return estimate();
    case 'partial': {
      if (charge.estimated) return estimateFindings(billed, call, charge);
      const sum = Object.values(billed).reduce((all, quantity) => all + quantity, 0);
      return sum <= response.report.figures ? [] : [`billed ${show(billed)}, not estimated`];
    }
    case 'input':
      return [...estimate(), ...sameInput(billed, response.report.usage)];
    case 'reported': {
      const { usage } = response.report;
      const output = usage.output + usage.reasoning;
      if (request.kind === 'generate' && output === 0 && response.textBytes > 0)
        return [...estimate(), ...sameInput(billed, usage)];
      const input = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
      // No prompt is empty: a report without input is no report.
      if (input === 0 || input > ABSURD_INPUT || output > ABSURD_OUTPUT) return estimate();
      const isCertain =
        input <= CERTAIN_INPUT && output <= TIMES_BOUND * Math.min(call.limit ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS);
      if (charge.estimated) return isCertain ? [`estimated ${show(billed)}, reported ${show(usage)}`] : estimate();
      return show(billed) === show(usage) ? [] : [`billed ${show(billed)}, reported ${show(usage)}`];
    }
    default:
      return response.report satisfies never;
  }
}

/** An estimate is at least one token for delivered output, and at most the bytes in and out. */
function estimateFindings(
  billed: Usage,
  { response, bodyBytes, limit }: Outcome['reached'][number],
  charge: Booked,
): string[] {
  const findings: string[] = [];
  const output = billed.output + billed.reasoning;
  // No estimate exceeds the client's limit, which may be 0.
  if (response.isWhole && response.textBytes > 0 && output === 0 && limit !== 0)
    findings.push('delivered text and estimated no output');
  const reported =
    response.report.kind === 'reported' ? response.report.usage.output + response.report.usage.reasoning : 0;
  if (response.isWhole && output > Math.max(response.textBytes, reported))
    findings.push(`estimated ${output} tokens of ${response.textBytes} bytes`);
  if (response.isWhole && billed.input > bodyBytes + CERTAIN_INPUT)
    findings.push(`estimated ${billed.input} input tokens of ${bodyBytes} bytes`);
  if (charge.costNanos > charge.holdNanos)
    findings.push(`an estimate of ${charge.costNanos} beyond the hold of ${charge.holdNanos}`);
  return findings;
}

/** A reported input counts even if the output is estimated. */
function sameInput(billed: Usage, reported: Usage): string[] {
  const input = ({ input, cache_read, cache_write_5m, cache_write_1h }: Usage) =>
    [input, cache_read, cache_write_5m, cache_write_1h].join();
  const total = reported.input + reported.cache_read + reported.cache_write_5m + reported.cache_write_1h;
  if (total === 0 || total > CERTAIN_INPUT || input(billed) === input(reported)) return [];
  return [`billed an input of ${input(billed)}, reported ${input(reported)}`];
}

/** Checks that the response has the charged cost. */
function reported({ received }: Outcome, charge: Booked): string[] {
  const header = received.headers['x-request-cost'];
  const inBody = [...received.text.matchAll(/"cost":([0-9.]+)/g)].at(-1)?.[1];
  return [header, inBody]
    .filter((text): text is string => typeof text === 'string')
    .filter((text) => nanosOf(text) !== charge.chargedNanos)
    .map((text) => `the answer names a cost of ${text}, charged are ${charge.chargedNanos}`);
}

function nanosOf(dollars: string): bigint {
  const [integer = '0', fraction = ''] = dollars.split('.');
  return BigInt(integer) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

function usageOf(charge: Booked): Usage {
  const of = (bucket: string) => Number(quantityOf(charge, bucket));
  return {
    input: of('input'),
    cache_read: of('cache_read'),
    cache_write_5m: of('cache_write_5m'),
    cache_write_1h: of('cache_write_1h'),
    output: of('output'),
    reasoning: of('reasoning'),
    search: of('search'),
  };
}

function quantityOf({ lines }: Booked, bucket: string): bigint {
  return BigInt(lines.find(([name]) => name === bucket)?.[1] ?? '0');
}

function show(usage: Usage): string {
  return Object.entries(usage)
    .filter(([, quantity]) => quantity !== 0)
    .map(([bucket, quantity]) => `${quantity} ${bucket}`)
    .join(' + ');
}
