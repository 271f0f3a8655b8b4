/** A requested change. Until it has settled, the values before and after it are both possible. */
export interface Change {
  /** The call that made it has returned. @param at when @param by the process that made it */
  settle: (at: number, by?: string) => void;
}

interface Noted<T> {
  value: T;
  begunAt: number;
  settledAt: number;
  by: string | undefined;
}

/** The state of something over time, as known to the caller that changes it. */
export class Timeline<T> {
  readonly #first: T;
  readonly #changes: Noted<T>[] = [];

  constructor(first: T) {
    this.#first = first;
  }

  /** Records a change when it is requested. Changes apply in the order of their requests, whenever they settle. */
  begin(value: T, at: number): Change {
    const change: Noted<T> = { value, begunAt: at, settledAt: Number.POSITIVE_INFINITY, by: undefined };
    this.#changes.push(change);
    return {
      settle: (settledAt, by) => {
        change.settledAt = settledAt;
        change.by = by;
      },
    };
  }

  /** The last change settled by then: when it was requested, when it settled, and who made it. */
  settledBy(at: number): { from: number; to: number; by: string | undefined } | undefined {
    const change = this.#changes.findLast(({ settledAt }) => settledAt <= at);
    return change === undefined ? undefined : { from: change.begunAt, to: change.settledAt, by: change.by };
  }

  /** All values that a reader may have seen between two times. */
  between(from: number, to: number): T[] {
    const settled = this.#changes.findLastIndex((change) => change.settledAt <= from);
    const before = settled < 0 ? this.#first : this.#changes[settled]?.value;
    const possible = this.#changes.filter((change, index) => index > settled && change.begunAt <= to);
    return [...(before === undefined ? [] : [before]), ...possible.map((change) => change.value)];
  }
}
