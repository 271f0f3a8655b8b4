import { type Signature, unwrapSignature, wrapThoughts } from '../../canonical/carried-thoughts.ts';
import { type Opaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { ReasoningPart } from '../../canonical/part.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import { type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';

const HOME = 'openai-responses';

/** The two members of a reasoning item that its provider wants back together: it checks that they belong together. */
export interface ReasoningSignature {
  /** Undefined for an item whose id is made here. */
  readonly id: string | undefined;
  readonly encrypted: string;
}

/** Decodes the signature of a reasoning item: an own one, or a wrapped one of another provider. */
function decodeSignature(id: unknown, { opaque }: Signature): Opaque | undefined {
  if (opaque?.origin !== HOME || opaque.of !== undefined) return opaque;
  const own = typeof id === 'string' && id !== '' ? { id } : {};
  return { origin: HOME, data: JSON.stringify({ ...own, encrypted_content: opaque.data }) };
}

/** Encodes it again. */
export function encodeSignature(opaque: Opaque): ReasoningSignature {
  if (opaque.origin !== HOME || opaque.of !== undefined) {
    return { id: undefined, encrypted: wrapOpaque(opaque, HOME) };
  }
  const { id, encrypted_content: encrypted } = recordOr(parseJson(opaque.data));
  if (typeof encrypted !== 'string') return { id: undefined, encrypted: opaque.data };
  return { id: typeof id === 'string' ? id : undefined, encrypted };
}

/**
 * The signature of complete reasoning that has none, with its text: clients return `encrypted_content`, but not all of
 * them `content`, and some providers require the text while their model calls tools.
 */
export function encodeUnsigned({ form, text }: Pick<ReasoningPart, 'form' | 'text'>): string | undefined {
  return form === 'full' && text !== '' ? wrapThoughts([{ form, text, texts: 0 }]) : undefined;
}

/**
 * Reads a reasoning item, of a request or a response: the complete reasoning if there is any, else the
 * summary. Undefined if it is empty.
 */
export function decodeReasoning(item: JsonRecord): ReasoningPart | undefined {
  const signature = unwrapSignature(stringOr(item['encrypted_content']), HOME);
  const carried = signature.thoughts?.map((thought) => thought.text).join('\n\n') ?? '';
  const thoughts = textsIn(item['content']).join('\n\n') || carried;
  const opaque = decodeSignature(item['id'], signature);
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
