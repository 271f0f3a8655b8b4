import { type Signature, unwrapSignature, wrapSignature } from '../../canonical/carried-thoughts.ts';
import { type Opaque, unwrapOpaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { ReasoningPart } from '../../canonical/part.ts';
import { textFingerprint } from '../../canonical/text-fingerprint.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/*
 * OpenAI's chat completions return no reasoning. Other providers of the protocol put its text into
 * `reasoning_content` (or `reasoning`), and what must come back unchanged into `reasoning_details`.
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */

const HOME = 'openai-chat';

/** One element of `reasoning_details`. */
export interface ReasoningDetail {
  /** `opaque`: only an opaque value. */
  readonly form: ReasoningPart['form'] | 'opaque';
  readonly text: string;
  readonly opaque: Opaque | undefined;
  /** Shared by the elements of one part, which a stream splits. */
  readonly index: number | undefined;
}

/** Decodes `reasoning_details`; empty elements are dropped. */
export function decodeDetails(value: unknown): readonly ReasoningDetail[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((element: unknown) => (isRecord(element) ? (readDetail(element) ?? []) : []));
}

function readDetail(element: JsonRecord): ReasoningDetail | undefined {
  const { type, index } = element;
  const common = { index: typeof index === 'number' ? index : undefined };
  switch (type) {
    case 'reasoning.text':
      return { ...common, form: 'full', text: stringOr(element['text']), opaque: decodeOpaque(element['signature']) };
    case 'reasoning.summary':
      return {
        ...common,
        form: 'summary',
        text: stringOr(element['summary']),
        opaque: decodeOpaque(element['signature']),
      };
    case 'reasoning.encrypted': {
      const opaque = decodeOpaque(element['data']);
      return opaque === undefined ? undefined : { ...common, form: 'opaque', text: '', opaque };
    }
    default:
      return undefined;
  }
}

function decodeOpaque(value: unknown): Opaque | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const opaque = unwrapOpaque(value, HOME);
  // Earlier versions marked the value of the message's text like this.
  return opaque.of === 'previous' ? { ...opaque, of: { text: '' } } : opaque;
}

/** Whether a detail continues an earlier one. */
export function continues(earlier: ReasoningDetail, later: ReasoningDetail): boolean {
  return (
    earlier.form !== 'opaque' &&
    earlier.form === later.form &&
    earlier.index === later.index &&
    earlier.opaque === undefined
  );
}

/** The reasoning text of a message or a delta, under any of its names; some upstreams repeat it under both. */
export function reasoningText(message: JsonRecord): string {
  return stringOr(message['reasoning_content']) || stringOr(message['reasoning']);
}

/**
 * The reasoning of a message, and opaque values that name its text. `reasoning_details` repeat the text of
 * `reasoning_content`, unless they have only signatures.
 *
 * @param at the message's place
 */
export function decodeReasoning(message: JsonRecord, at: string | undefined): readonly ReasoningPart[] {
  const merged: ReasoningDetail[] = [];
  let field = 'reasoning_details';
  for (const detail of decodeDetails(message['reasoning_details'])) {
    const last = merged.at(-1);
    if (last !== undefined && continues(last, detail)) {
      merged[merged.length - 1] = { ...detail, text: last.text + detail.text };
    } else merged.push(detail);
  }
  const text = reasoningText(message);
  if (text !== '' && merged.every((detail) => detail.text === '')) {
    merged.unshift({ form: 'full', text, opaque: undefined, index: undefined });
    field = stringOr(message['reasoning_content']) === '' ? 'reasoning' : 'reasoning_content';
  }
  return merged.flatMap(({ form, text: thought, opaque }): ReasoningPart[] => {
    if (thought === '' && opaque === undefined) return [];
    const part = { type: 'reasoning' as const, form: form === 'summary' ? form : ('full' as const), text: thought };
    return [{ ...part, ...(opaque !== undefined && { opaque }), ...(at !== undefined && { at: `${at}.${field}` }) }];
  });
}

/** The text of a content part of the type `thinking`, which has parts of its own; Mistral's models return it. */
export function thinkingText({ thinking }: JsonRecord): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part: unknown) => (isRecord(part) ? stringOr(part['text']) : '')).join('');
}

/** A complete part as an element of `reasoning_details`. */
export function encodeReasoning(
  form: ReasoningPart['form'],
  text: string,
  opaque: Opaque | undefined,
  index: number,
): JsonRecord {
  if (text === '' && opaque !== undefined && form === 'full') {
    return { type: 'reasoning.encrypted', data: wrapOpaque(opaque, HOME), index };
  }
  return encodeReasoningPiece(form, text, opaque, index);
}

/** Such an element for a piece of a streamed part: more of its text, or the signature at its end. */
export function encodeReasoningPiece(
  form: ReasoningPart['form'],
  text: string,
  opaque: Opaque | undefined,
  index: number,
): JsonRecord {
  const signature = opaque === undefined ? {} : { signature: wrapOpaque(opaque, HOME) };
  return form === 'summary'
    ? { type: 'reasoning.summary', summary: text, ...signature, index }
    : { type: 'reasoning.text', text, ...signature, index };
}

/** The signature of a message's text, as an element of `reasoning_details`. */
export function encodeTextSignature({ origin, data }: Opaque, text: string, index: number): JsonRecord {
  const named: Opaque = { origin, data, of: { text: textFingerprint(text) } };
  return { type: 'reasoning.encrypted', data: wrapOpaque(named, HOME), index };
}

/**
 * Decodes what a tool call carries, in the field of Google's chat completions. More clients return it than
 * `reasoning_details`, if it comes at the beginning of the call.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function decodeCallSignature(call: JsonRecord): Signature {
  return unwrapSignature(stringOr(recordOr(recordOr(call['extra_content'])['google'])['thought_signature']), 'gemini');
}

/** The member of a tool call with what it carries; empty if that is nothing. */
export function encodeCallSignature(signature: Signature): JsonRecord {
  const text = wrapSignature(signature, 'gemini');
  return text === undefined ? {} : { extra_content: { google: { thought_signature: text } } };
}
