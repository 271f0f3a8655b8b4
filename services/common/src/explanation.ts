/** Explains to people why a request got no, or not the whole, response. */
export interface Explanation {
  /** A few words, for lists and charts. */
  label: string;
  /** What happened: one sentence. */
  happened: string;
  /** What to do about it: one or two sentences. */
  remedy: string;
}
