/** What the simulator counts beside the text of each message, and once for each request. */
export const TOKENS_PER_MESSAGE = 4;
export const TOKENS_PER_REQUEST = 3;

/** Tokens of one image of the input, by its `detail`. */
export const TOKENS_PER_LOW_DETAIL_IMAGE = 85;
export const TOKENS_PER_IMAGE = 765;

/** The most output tokens of a simulated model. */
export const MAX_OUTPUT_TOKENS = 16_384;

/** Counts the tokens of a text: one for four bytes or a part of four. Never more than its bytes. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
