/** Where a piece of a response's text comes from. */
export interface Citation {
  /** A page of the web. */
  readonly url?: string;
  readonly title?: string;
  /** The words cited from the source. */
  readonly quote?: string;
  /** The stretch of the response's text part that rests on it, in characters. */
  readonly answer?: { readonly start: number; readonly end: number };
  /** A document of the request, counted from 0, and the stretch of it. */
  readonly document?: {
    readonly index: number;
    readonly unit: 'character' | 'page' | 'block';
    readonly start: number;
    readonly end: number;
  };
}
