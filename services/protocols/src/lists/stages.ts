/**
 * Work that can be interrupted: where it yields, its caller may let other work of the process run.
 *
 * All that is done with a request of a client is written so. A loop over a list of the client's yields whenever
 * `isTurnOver()` says so, once for each item, or with their number after work on many items that is quick.
 */
export type Stages<T> = Generator<undefined, T>;

/** Items handled in one turn of the event loop: a few milliseconds of work, whatever is done with each. */
export const ITEMS_PER_TURN = 1_000;

/** Counted for the process and not per request: the turn must be short, no matter which requests it serves. */
let itemsOfTurn = 0;

/** Counts items that were handled, and says whether they were enough for one turn. */
export function isTurnOver(items = 1): boolean {
  itemsOfTurn += items;
  if (itemsOfTurn < ITEMS_PER_TURN) return false;
  itemsOfTurn = 0;
  return true;
}

/** Does the whole work at once, for callers that have no need to pause. */
export function runToEnd<T>(stages: Stages<T>): T {
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
  }
}

/** `Array.map` in stages. What `map` makes undefined is left out. */
export function* mapInStages<T, U>(list: readonly T[], map: (item: T, index: number) => U | undefined): Stages<U[]> {
  const mapped: U[] = [];
  for (const [i, item] of list.entries()) {
    const one = map(item, i);
    if (one !== undefined) mapped.push(one);
    if (isTurnOver()) yield;
  }
  return mapped;
}

/** Appends all elements. Spreading more than about 100,000 of them into `push` would overflow the stack. */
export function append<T>(list: T[], elements: Iterable<T>): void {
  for (const element of elements) list.push(element);
}
