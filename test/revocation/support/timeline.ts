/** A change that was asked for. Until it has settled, what was before and what it makes of it are both possible. */
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

  /** Notes a change from the moment it is asked for. A later one is taken as made after it, whenever each settles. */
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

  /** The last change that had settled by then: when it was asked for, when it had settled, and who made it. */
  settledBy(at: number): { from: number; to: number; by: string | undefined } | undefined {
    const change = this.#changes.findLast(({ settledAt }) => settledAt <= at);
    return change === undefined ? undefined : { from: change.begunAt, to: change.settledAt, by: change.by };
  }

  /** Everything that one who looked between two moments may have seen. */
  between(from: number, to: number): T[] {
    const settled = this.#changes.findLastIndex((change) => change.settledAt <= from);
    const before = settled < 0 ? this.#first : this.#changes[settled]?.value;
    const possible = this.#changes.filter((change, index) => index > settled && change.begunAt <= to);
    return [...(before === undefined ? [] : [before]), ...possible.map((change) => change.value)];
  }
}
