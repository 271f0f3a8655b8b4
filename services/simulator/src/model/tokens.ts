/** What the simulator counts next to the text of each run of messages of one side, and once for each request. */
export const TOKENS_PER_MESSAGE = 4;
export const TOKENS_PER_REQUEST = 3;

/** Tokens of one image of the input, by its `detail`. */
export const TOKENS_PER_LOW_DETAIL_IMAGE = 85;
export const TOKENS_PER_IMAGE = 765;

/** Tokens of one file of the input that is not plain text. */
export const TOKENS_PER_FILE = 1_000;

/** How many characters of base64 audio make a token. */
export const AUDIO_CHARACTERS_PER_TOKEN = 40;

/** How many bytes of text make a token. */
export const BYTES_PER_TOKEN = 4;

/** The most output tokens of a simulated model. */
export const MAX_OUTPUT_TOKENS = 16_384;

/** Counts the tokens of a text: one for four bytes or a part of four. Never more than its bytes. */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
