/** A limit on a figure, from the design. */
export interface Budget {
  /** The ratio to the bare proxy, the difference to it, or the figure itself. */
  of: 'ratio' | 'beyond' | 'value';
  limit: number;
}
