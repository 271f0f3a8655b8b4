import { type Random, weighted } from '../random.ts';

/** Behaviour of an upstream in one call. */
export type Mode =
  | 'honest'
  /** Missing, wrong or no usage. */
  | 'usage'
  /** Mutated fields anywhere in the response. */
  | 'fields'
  /** Odd finish reasons. */
  | 'finish'
  /** Dropped, repeated, swapped and inserted events. */
  | 'events'
  /** The same content with unusual chunks, line ends and comments. */
  | 'framing'
  /** The stream or body ends early, or the connection is reset. */
  | 'cut'
  /** An error status. */
  | 'refusal'
  /** An error with a successful status. */
  | 'error'
  /** Another content type, or bytes that violate the protocol. */
  | 'garbage'
  | 'large'
  | 'slow'
  | 'stall';

/** Modes with a correct response except for its usage. */
export const WHOLE_MODES: ReadonlySet<Mode> = new Set(['honest', 'usage', 'framing', 'finish', 'large', 'slow']);

/** Failures are rare enough that models do not leave rotation for long. */
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
