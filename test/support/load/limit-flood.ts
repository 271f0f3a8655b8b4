import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 50;
/** Maximum wait for responses after the last request. */
const LAST_RESPONSES_MS = 60_000;

/** The result of a request. */
export interface CallResponse {
  status: number;
  /** Its amount under the limit: one request, or its tokens; 0 if rejected. */
  amount: number;
}

/** When a request was sent and its response ended: its limits were checked in between. */
export interface Judged extends CallResponse {
  sentAtMs: number;
  heardAtMs: number;
}

/** Sends requests evenly at a rate, regardless of responses. Rejects if one fails. */
export async function floodEvenly(
  perSecond: number,
  forMs: number,
  ask: (index: number) => Promise<CallResponse>,
): Promise<Judged[]> {
  const perTick = (perSecond * TICK_MS) / 1_000;
  const startedAtMs = performance.now();
  const pending: Promise<Judged>[] = [];
  const elapsedMs = () => performance.now() - startedAtMs;
  while (elapsedMs() < forMs) {
    const due = Math.floor(elapsedMs() / TICK_MS + 1) * perTick;
    for (let index = pending.length; index < due; index++) {
      const sentAtMs = performance.now();
      const judged = ask(index).then(
        (response) => ({ ...response, sentAtMs, heardAtMs: performance.now() }),
        (cause: unknown): never => {
          const second = ((sentAtMs - startedAtMs) / 1_000).toFixed(1);
          throw new Error(`a request at second ${second} failed at second ${(elapsedMs() / 1_000).toFixed(1)}`, {
            cause,
          });
        },
      );
      // Failures surface when all are awaited.
      judged.catch(() => undefined);
      pending.push(judged);
    }
    await delay(TICK_MS);
  }
  const late = delay(LAST_RESPONSES_MS, undefined, { ref: false }).then((): never => {
    throw new Error('responses are missing');
  });
  return Promise.race([Promise.all(pending), late]);
}

/** The maximum certainly accepted in any window of a length: requests that started and ended within it. */
export function mostWithin(accepted: readonly Judged[], windowMs: number): number {
  const sums = accepted.map(({ sentAtMs: from }) =>
    sumOf(accepted, ({ sentAtMs, heardAtMs }) => sentAtMs >= from && heardAtMs <= from + windowMs),
  );
  return Math.max(0, ...sums);
}

/** The minimum possibly accepted in any window of a length between two moments: all requests that overlap it. */
export function leastWithin(accepted: readonly Judged[], windowMs: number, fromMs: number, toMs: number): number {
  const begins = [fromMs, ...accepted.map(({ heardAtMs }) => heardAtMs + 0.001)].filter(
    (from) => from >= fromMs && from + windowMs <= toMs,
  );
  const sums = begins.map((from) =>
    sumOf(accepted, ({ sentAtMs, heardAtMs }) => heardAtMs >= from && sentAtMs <= from + windowMs),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...sums);
}

/** When the first rejection was received: the bucket was empty by then. */
export function emptiedAt(judged: readonly Judged[]): number {
  return Math.min(...judged.filter(({ status }) => status === 429).map(({ heardAtMs }) => heardAtMs));
}

/** The maximum in progress at the same time. */
export function mostAtOnce(judged: readonly Judged[]): number {
  const ends = judged.map(({ heardAtMs }) => heardAtMs).toSorted((a, b) => a - b);
  let ended = 0;
  let max = 0;
  for (const [begun, { sentAtMs }] of judged.toSorted((a, b) => a.sentAtMs - b.sentAtMs).entries()) {
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) < sentAtMs) ended += 1;
    max = Math.max(max, begun + 1 - ended);
  }
  return max;
}

/** The longest time without a response, in which a busy machine stood still and buckets refilled. */
export function longestPause(judged: readonly Judged[]): number {
  const ends = judged.map(({ heardAtMs }) => heardAtMs).toSorted((a, b) => a - b);
  return Math.max(0, ...ends.slice(1).map((end, index) => end - (ends[index] ?? end)));
}

function sumOf(accepted: readonly Judged[], counts: (one: Judged) => boolean): number {
  return accepted.reduce((sum, one) => (counts(one) ? sum + one.amount : sum), 0);
}
