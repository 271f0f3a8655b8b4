/**
 * Work that can be interrupted: where it yields, its caller may let other work of the process run.
 *
 * All work on a client's request is written this way. A loop over a client's list calls `isTurnOver()` for each item, or
 * with the number of items after quick work on many, and yields when it returns true.
 */
export type Stages<T> = Generator<undefined, T>;

/** Requests up to this size take at most about ten milliseconds in all, so that work on them need not yield for its bytes. */
export const LARGE_BYTES = 64 * 1_024;

/** Items handled in one turn of the event loop: a few milliseconds of work, whatever is done with each. */
export const ITEMS_PER_TURN = 1_000;

/** Counted per process, not per request: a turn must be short whichever requests it serves. */
let itemsOfTurn = 0;

/** Counts handled items; returns whether they fill one turn. */
export function isTurnOver(items = 1): boolean {
  itemsOfTurn += items;
  if (itemsOfTurn < ITEMS_PER_TURN) return false;
  itemsOfTurn = 0;
  return true;
}

/** Runs all stages at once, for callers that need not pause. */
export function runToEnd<T>(stages: Stages<T>): T {
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
  }
}

/** `Array.map` in stages. Results that are undefined are left out. */
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
