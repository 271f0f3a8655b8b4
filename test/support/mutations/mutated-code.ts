/** A fault planted in the code. */
export interface MutatedCode {
  /** What is broken. */
  readonly name: string;
  readonly edits: readonly Edit[];
}

export type Edit = Replacement | OtherResult;

/** The code of a function, method, class or variable. Its file is found, so that moves do not concern faults. */
interface Place {
  /** A folder of sources, relative to the repository's root. */
  readonly folder: string;
  /** Its name, which is unique in the folder: `charge`, or `Lease.returnFree`. */
  readonly at: string;
}

/** Other code in a place. */
export interface Replacement extends Place {
  /** Occurs exactly once in it. Line breaks, indentation and trailing commas do not count. */
  readonly find: string;
  readonly replace: string;
}

/** Another result of a function, whatever its code is. */
export interface OtherResult extends Place {
  /** The expression it returns. `result` is what it would return; its parameters are in scope. */
  readonly becomes: string;
}
