import { type Random, weighted } from '../random.ts';

/** How an upstream behaves in one call. */
export type Mode =
  | 'honest'
  /** A report of usage that is missing, wrong, or none. */
  | 'usage'
  /** Fields changed anywhere in the response. */
  | 'fields'
  /** Odd finish reasons. */
  | 'finish'
  /** Events dropped, repeated, swapped, and others put between. */
  | 'events'
  /** The same bytes in odd pieces, line ends and comments. */
  | 'framing'
  /** The stream or body ends early, or the connection is reset. */
  | 'cut'
  /** An error status. */
  | 'refusal'
  /** An error under a status of success. */
  | 'error'
  /** Another content type, or bytes that are none of the protocol's. */
  | 'garbage'
  | 'large'
  | 'slow'
  | 'stall';

/** Modes in which the response says what it should, but for its usage. */
export const WHOLE_MODES: ReadonlySet<Mode> = new Set(['honest', 'usage', 'framing', 'finish', 'large', 'slow']);

/** Failures stay few enough that the models are not taken out of rotation for long. */
export function modeOf(random: Random): Mode {
  return weighted<Mode>(random, [
    [460, 'honest'],
    [150, 'usage'],
    [70, 'fields'],
    [30, 'finish'],
    [60, 'events'],
    [60, 'framing'],
    [35, 'cut'],
    [70, 'refusal'],
    [25, 'error'],
    [20, 'garbage'],
    [6, 'large'],
    [12, 'slow'],
    [2, 'stall'],
  ]);
}
