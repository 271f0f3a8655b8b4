import { type Opaque, unwrapOpaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { ReasoningPart } from '../../canonical/part.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
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
 * Whether a request without storage must request encrypted reasoning for the next turn: of models that reason by the
 * catalogue, and of unknown ones if the request shows it. Models that do not reason reject it: "Encrypted content is not
 * supported with this model".
 */
export function asksForReasoning(parameters: ModelParameters | undefined, isShown: boolean): boolean {
  const efforts = parameters?.efforts;
  return efforts === undefined ? isShown : efforts.length > 0;
}
