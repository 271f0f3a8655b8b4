import { unwrapSignature, wrapThoughts } from '../../canonical/carried-thoughts.ts';
import { type Opaque, unwrapOpaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { ReasoningPart } from '../../canonical/part.ts';
import { type JsonRecord, stringOr } from '../../json/record.ts';

const HOME = 'anthropic-messages';

/** Distinguishes the data of `redacted_thinking` from the signature of a `thinking` block, which has none of these
 * characters. */
const REDACTED = 'redacted_thinking:';

/**
 * The signature of reasoning that has none. An empty one would be lost: some clients return the block without the field,
 * others drop the block.
 */
export const UNSIGNED = wrapThoughts([]);

/** The signature of a `thinking` block; undefined if it has none. */
export function decodeSignature(signature: string): Opaque | undefined {
  return unwrapSignature(signature, HOME).opaque;
}

/** The encrypted data of a `redacted_thinking` block. */
export function decodeRedacted(data: string): Opaque {
  const opaque = unwrapOpaque(data, HOME);
  return opaque.origin === HOME ? { origin: HOME, data: REDACTED + data } : opaque;
}

/** Decodes a reasoning block; undefined if it is another block or empty. Claude returns summaries of its reasoning. */
export function decodeReasoning(block: JsonRecord): ReasoningPart | undefined {
  if (block['type'] === 'redacted_thinking') {
    const data = stringOr(block['data']);
    return data === '' ? undefined : { type: 'reasoning', form: 'full', text: '', opaque: decodeRedacted(data) };
  }
  if (block['type'] !== 'thinking') return undefined;
  const text = stringOr(block['thinking']);
  const opaque = decodeSignature(stringOr(block['signature']));
  if (text === '' && opaque === undefined) return undefined;
  return { type: 'reasoning', form: 'summary', text, ...(opaque !== undefined && { opaque }) };
}

/**
 * Encodes a reasoning part; undefined if it is empty. Encrypted reasoning of other providers is a `thinking` block without
 * text, since more clients return that than `redacted_thinking`.
 */
export function encodeReasoning({ text, opaque }: ReasoningPart): JsonRecord | undefined {
  if (opaque === undefined) return text === '' ? undefined : { type: 'thinking', thinking: text, signature: UNSIGNED };
  if (text === '' && isRedacted(opaque)) return { type: 'redacted_thinking', data: opaque.data.slice(REDACTED.length) };
  return { type: 'thinking', thinking: text, signature: wrapOpaque(opaque, HOME) };
}

/** Whether the opaque value is the data of a `redacted_thinking` block. */
export function isRedacted({ origin, data, of }: Opaque): boolean {
  return origin === HOME && of === undefined && data.startsWith(REDACTED);
}
