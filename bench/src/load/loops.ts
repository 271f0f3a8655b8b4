import { arrivals } from './arrivals.ts';
import type { Connections } from './connection.ts';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** Keeps a fixed number of requests in progress for a duration, or until all are sent, then waits for the last response. */
export function closedLoop(
  connections: Connections,
  { route, spec, concurrency, durationMs, requests }: Extract<LoadCommand, { kind: 'closed' }>,
): Promise<LoadResult> {
  const send = connections.sender(route, spec);
  const tally = new Tally();
  const end = performance.now() + durationMs;
  let unsent = requests ?? Number.POSITIVE_INFINITY;
  return new Promise((resolve) => {
    let running = Math.min(concurrency, unsent);
    const start = () => {
      unsent -= 1;
      send(tally, onEnd);
    };
    const onEnd = () => {
      if (unsent > 0 && performance.now() < end) start();
      else {
        running -= 1;
        if (running === 0) resolve(tally.result());
      }
    };
    for (let index = running; index > 0; index -= 1) start();
  });
}

/** Starts requests at random times, regardless of those before. */
export function openLoop(
  connections: Connections,
  { route, spec, ratePerSecond, durationMs, seed }: Extract<LoadCommand, { kind: 'open' }>,
): Promise<LoadResult> {
  const send = connections.sender(route, spec);
  const tally = new Tally();
  const start = performance.now();
  const moments = arrivals(ratePerSecond, durationMs, seed);
  return new Promise((resolve) => {
    let open = 0;
    let due = moments.next();
    const finishIfDone = () => {
      if (due.done === true && open === 0) resolve(tally.result());
    };
    const onEnd = () => {
      open -= 1;
      finishIfDone();
    };
    const beginDue = () => {
      for (; due.done !== true && due.value <= performance.now() - start; due = moments.next()) {
        open += 1;
        send(tally, onEnd);
      }
      if (due.done === true) finishIfDone();
      else setTimeout(beginDue, Math.max(0, due.value - (performance.now() - start)));
    };
    beginDue();
  });
}
