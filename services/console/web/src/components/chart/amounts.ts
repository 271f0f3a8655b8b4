/** How the amounts of a chart are written and drawn. They are exact integers: nano-dollars, tokens. */
export interface Amounts {
  /** All digits. */
  exact: (amount: bigint) => string;
  /** In a legend. */
  short: (amount: bigint) => string;
  /** For drawing only. */
  approximate: (amount: bigint) => number;
  /** A value of the axis, which is round. */
  axis: (value: number) => string;
}

export const addUp = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);
