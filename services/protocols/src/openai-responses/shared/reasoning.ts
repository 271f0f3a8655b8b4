import { type Opaque, unwrapOpaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { ReasoningPart } from '../../canonical/part.ts';
import { type JsonRecord, parseJson, recordOr } from '../../json/record.ts';

const HOME = 'openai-responses';

/** The two members of a reasoning item that its provider wants back together: it checks that they belong together. */
export interface ReasoningSignature {
  /** Undefined for an item whose id is made here. */
  readonly id: string | undefined;
  readonly encrypted: string;
}

/** Decodes the signature of a reasoning item: an own one, or a wrapped one of another provider. */
export function decodeSignature(id: unknown, encrypted: unknown): Opaque | undefined {
  if (typeof encrypted !== 'string' || encrypted === '') return undefined;
  const opened = unwrapOpaque(encrypted, HOME);
  if (opened.origin !== HOME || opened.ofPrevious === true) return opened;
  const own = typeof id === 'string' && id !== '' ? { id } : {};
  return { origin: HOME, data: JSON.stringify({ ...own, encrypted_content: opened.data }) };
}

/** Encodes it again. */
export function encodeSignature(opaque: Opaque): ReasoningSignature {
  if (opaque.origin !== HOME || opaque.ofPrevious === true) {
    return { id: undefined, encrypted: wrapOpaque(opaque, HOME) };
  }
  const { id, encrypted_content: encrypted } = recordOr(parseJson(opaque.data));
  if (typeof encrypted !== 'string') return { id: undefined, encrypted: opaque.data };
  return { id: typeof id === 'string' ? id : undefined, encrypted };
}

/**
 * Reads a reasoning item, of a request or a response: the complete reasoning if there is any, else the
 * summary. Undefined if it is empty.
 */
export function decodeReasoning(item: JsonRecord): ReasoningPart | undefined {
  const thoughts = textsIn(item['content']).join('\n\n');
  const opaque = decodeSignature(item['id'], item['encrypted_content']);
  const text = thoughts === '' ? textsIn(item['summary']).join('\n\n') : thoughts;
  if (text === '' && opaque === undefined) return undefined;
  const form = thoughts === '' && text !== '' ? 'summary' : 'full';
  return { type: 'reasoning', form, text, ...(opaque !== undefined && { opaque }) };
}

function textsIn(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => {
    const { text } = recordOr(part);
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}

/** Requests reasoning in encrypted form, which a client can return without it being stored at the provider. */
export const INCLUDE_ENCRYPTED = 'reasoning.encrypted_content';

/**
 * OpenAI's reasoning models by their names; its chat models reject the value above ("Encrypted content is not supported
 * with this model").
 */
const REASONING_MODEL = /(^|[/.:])(o[1-9]|gpt-oss|gpt-([5-9]|[1-9]\d)|codex|computer-use)/;

/**
 * Whether a request without storage must request encrypted reasoning for the next turn: if the request or the model's
 * name shows that the model reasons.
 */
export function asksForReasoning(upstreamModel: string, asked: boolean): boolean {
  return asked || (REASONING_MODEL.test(upstreamModel) && !upstreamModel.includes('chat'));
}
