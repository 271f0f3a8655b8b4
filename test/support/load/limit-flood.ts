import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 50;
/** Answers are awaited this long at most once nothing is asked any more. */
const LAST_RESPONSES_MS = 60_000;

/** What a request was answered. */
export interface CallResponse {
  status: number;
  /** What it came to, of what is limited: one request, or the tokens used; 0 where it was refused. */
  amount: number;
}

/** When a request was sent and its response's end came: its limits were judged in between. */
export interface Judged extends CallResponse {
  sentAtMs: number;
  heardAtMs: number;
}

/** Asks evenly, so many times a second, whatever is answered and when. Rejects when a question does. */
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
          throw new Error(`what was asked at second ${second} failed at second ${(elapsedMs() / 1_000).toFixed(1)}`, {
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
    throw new Error('answers are missing');
  });
  return Promise.race([Promise.all(pending), late]);
}

/** The most that can have been accepted in any window of a length: what was begun and ended within it surely was. */
export function mostWithin(accepted: readonly Judged[], windowMs: number): number {
  const sums = accepted.map(({ sentAtMs: from }) =>
    sumOf(accepted, ({ sentAtMs, heardAtMs }) => sentAtMs >= from && heardAtMs <= from + windowMs),
  );
  return Math.max(0, ...sums);
}

/** The least that can have been accepted in any window of a length between two moments: all that touches it may have been. */
export function leastWithin(accepted: readonly Judged[], windowMs: number, fromMs: number, toMs: number): number {
  const begins = [fromMs, ...accepted.map(({ heardAtMs }) => heardAtMs + 0.001)].filter(
    (from) => from >= fromMs && from + windowMs <= toMs,
  );
  const sums = begins.map((from) =>
    sumOf(accepted, ({ sentAtMs, heardAtMs }) => heardAtMs >= from && sentAtMs <= from + windowMs),
  );
  return Math.min(Number.POSITIVE_INFINITY, ...sums);
}

/** When it was first heard that something was refused: the bucket was empty by then. */
export function emptiedAt(judged: readonly Judged[]): number {
  return Math.min(...judged.filter(({ status }) => status === 429).map(({ heardAtMs }) => heardAtMs));
}

/** The most that were in progress at the same time. */
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

/** The longest time in which nothing was answered: that a busy machine stood still, and buckets filled meanwhile. */
export function longestPause(judged: readonly Judged[]): number {
  const ends = judged.map(({ heardAtMs }) => heardAtMs).toSorted((a, b) => a - b);
  return Math.max(0, ...ends.slice(1).map((end, index) => end - (ends[index] ?? end)));
}

function sumOf(accepted: readonly Judged[], counts: (one: Judged) => boolean): number {
  return accepted.reduce((sum, one) => (counts(one) ? sum + one.amount : sum), 0);
}
