import { SLOTS, slotOf } from './catalogue.ts';
import { type Booked, judgeCharge } from './judge-charge.ts';
import { judgeResponse, type Outcome } from './judge-response.ts';
import { PARTS, randomOf } from './random.ts';
import { type Keys, makeRequest } from './requests/make.ts';
import { buildCorpus } from './requests/valid.ts';
import { mannersOf, openAgent, type Received, send } from './send.ts';
import type { HostileUpstream, Reached } from './upstream/server.ts';

/** Number of requests whose charges are looked up together. */
const BATCH = 1_000;
/** Number of findings that are kept; all are counted. */
const FINDINGS_KEPT = 100;

/** An account and its keys. */
export interface Client {
  accountId: string;
  keys: Keys;
}

export interface RunOptions {
  seed: number;
  /** Cases, by number. */
  numbers: readonly number[];
  baseUrl: string;
  /** The sender of a slot's requests. */
  clientOf: (slot: number) => Client;
  upstream: HostileUpstream;
  /** The charges of these requests, once all due ones are posted. */
  chargesOf: (due: readonly string[], others: readonly string[]) => Promise<Booked[]>;
  /** Notified of the case that a slot has in progress. */
  onCase: (slot: number, number: number) => void;
  print: boolean;
}

export interface Tally {
  requests: number;
  /** Cases with at least one upstream call. */
  reached: number;
  delivered: number;
  estimated: number;
  charged: bigint;
  statuses: Map<number, number>;
  modes: Map<string, number>;
  findings: string[];
  /** Number of all findings, including those not kept. */
  findingCount: number;
}

export function emptyTally(): Tally {
  return {
    requests: 0,
    reached: 0,
    delivered: 0,
    estimated: 0,
    charged: 0n,
    statuses: new Map(),
    modes: new Map(),
    findings: [],
    findingCount: 0,
  };
}

/** Runs all cases, one at a time in each slot, and adds their results to the tally. */
export async function runCases(options: RunOptions, tally: Tally): Promise<void> {
  const { seed, numbers, baseUrl, clientOf, upstream } = options;
  const corpus = buildCorpus(seed);
  const agent = openAgent(SLOTS);
  let waiting: Outcome[] = [];
  let judging = Promise.resolve();

  const runOne = async (slot: number, number: number): Promise<void> => {
    options.onCase(slot, number);
    upstream.take(slot);
    const request = makeRequest(randomOf(seed, number, PARTS.request), corpus, slot, clientOf(slot).keys);
    const received = await send(agent, baseUrl, request.wire, mannersOf(randomOf(seed, number, PARTS.client)));
    waiting.push({ number, request, received, reached: ownCalls(upstream.take(slot), received) });
    if (options.print) printWhole(waiting.at(-1) as Outcome);
    if (waiting.length < BATCH) return;
    const batch = waiting;
    waiting = [];
    judging = judging.then(() => judgeBatch(options, batch, tally));
  };
  const bySlot = Map.groupBy(numbers, slotOf);
  await Promise.all(
    [...bySlot].map(async ([slot, own]) => {
      for (const number of own) await runOne(slot, number);
    }),
  );
  await judging;
  await judgeBatch(options, waiting, tally);
  agent.destroy();
}

async function judgeBatch({ chargesOf, clientOf }: RunOptions, batch: readonly Outcome[], tally: Tally): Promise<void> {
  const judged = batch.map((outcome) => ({
    outcome,
    ...judgeResponse(outcome),
    requestId: String(outcome.received.headers['x-request-id']),
  }));
  const isDue = ({ outcome, delivery }: (typeof judged)[number]) =>
    outcome.reached.length > 0 &&
    outcome.request.kind !== 'count' &&
    (delivery === 'complete' || delivery === 'broken');
  const ids = (due: boolean) =>
    judged.filter((one) => isDue(one) === due && one.requestId !== 'undefined').map((one) => one.requestId);
  const charges = Map.groupBy(await chargesOf(ids(true), ids(false)), ({ requestId }) => requestId);
  for (const { outcome, delivery, findings, requestId } of judged) {
    const own = charges.get(requestId) ?? [];
    tally.requests += 1;
    if (outcome.reached.length > 0) tally.reached += 1;
    if (delivery === 'complete' && own.length > 0) tally.delivered += 1;
    for (const { chargedNanos, estimated } of own) {
      tally.charged += chargedNanos;
      if (estimated) tally.estimated += 1;
    }
    count(tally.statuses, outcome.received.status);
    for (const { response } of outcome.reached) count(tally.modes, response.mode);
    for (const finding of [
      ...findings,
      ...judgeCharge(outcome, delivery, own, clientOf(slotOf(outcome.number)).accountId),
    ]) {
      tally.findingCount += 1;
      if (tally.findings.length < FINDINGS_KEPT) tally.findings.push(`${finding}\n    ${describe(outcome)}`);
    }
  }
}

/** Calls of an earlier request of the slot, whose client disconnected, may still arrive during this one. */
function ownCalls(calls: readonly Reached[], { headers }: Received): Reached[] {
  const traceId = String(headers['x-trace-id']).replaceAll('-', '');
  return headers['x-trace-id'] === undefined ? [...calls] : calls.filter((call) => call.traceId === traceId);
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function describe({ number, request, received, reached }: Outcome): string {
  const calls = reached.map(({ protocol, response }) => `${protocol} ${response.mode} ${response.status}`).join(', ');
  const done = request.mutations.length === 0 ? '' : ` (${request.mutations.join(', ')})`;
  return `CASE=${number}: ${request.wire.method} ${request.wire.path.slice(0, 120)}${done} -> ${received.status} ${received.ending}; upstream: ${calls || 'not reached'}`;
}

/** Everything sent and received, to inspect one case. */
function printWhole(outcome: Outcome): void {
  const { request, received, reached } = outcome;
  const { method, path, headers, body } = request.wire;
  const shown = [
    describe(outcome),
    `${method} ${path}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    body?.toString('utf8') ?? '',
    ...reached.map(
      ({ response }) => `-- upstream (${response.ending}):\n${Buffer.concat(response.pieces).toString('utf8')}`,
    ),
    `-- received:\n${JSON.stringify(received.headers)}\n${received.text}`,
  ];
  process.stdout.write(`${shown.map((text) => text.slice(0, 20_000)).join('\n')}\n`);
}
