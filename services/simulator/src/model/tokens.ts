/** Overhead of each run of messages of one side, and of each request. */
export const TOKENS_PER_MESSAGE = 4;
export const TOKENS_PER_REQUEST = 3;

/** Tokens of one image of the input, by its `detail`. */
export const TOKENS_PER_LOW_DETAIL_IMAGE = 85;
export const TOKENS_PER_IMAGE = 765;

/** Tokens of one file of the input that is not plain text. */
export const TOKENS_PER_FILE = 1_000;

/** Characters of base64 audio per token. */
export const AUDIO_CHARACTERS_PER_TOKEN = 40;

/** Bytes of text per token. */
export const BYTES_PER_TOKEN = 4;

/** Maximum output tokens of a simulated model. */
export const MAX_OUTPUT_TOKENS = 16_384;

/** Counts the tokens of a text: one per four bytes, rounded up. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
