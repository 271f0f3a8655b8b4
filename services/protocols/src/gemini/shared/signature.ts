import { type Signature, unwrapSignature, wrapSignature } from '../../canonical/carried-thoughts.ts';
import { WRAPPED_PREFIX } from '../../canonical/opaque.ts';
import { SKIP_VALIDATOR } from '../../canonical/skip-validator.ts';

/*
 * In JSON, a thoughtSignature is base64 in either alphabet: the Python SDK decodes it and sends it in the other
 * one. So a wrapped value of another protocol is base64-encoded as well, and both alphabets are decoded.
 */

const ENCODED_PREFIX = Buffer.from(WRAPPED_PREFIX).toString('base64').slice(0, 5);

/** Clients put them into their history themselves. SDKs that take bytes encode them once more. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  [SKIP_VALIDATOR, 'context_engineering_is_the_way_to_go'].flatMap((text) => [
    text,
    standardBase64(text),
    Buffer.from(text).toString('base64'),
  ]),
);

/** Whether it is a documented placeholder, not a signature of a model. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDERS.has(text);
}

/** Decodes a signature: Gemini's own, a placeholder, or a wrapped one of another protocol. */
export function decodeSignature(text: string): Signature {
  if (text === '') return {};
  if (isPlaceholder(text)) return { opaque: { origin: 'gemini', data: text } };
  const wrapped = wrappedText(text);
  return wrapped === undefined
    ? { opaque: { origin: 'gemini', data: standardBase64(text) } }
    : unwrapSignature(wrapped, 'gemini');
}

/** Encodes it again; undefined if there is nothing to encode. */
export function encodeSignature(signature: Signature): string | undefined {
  const text = wrapSignature(signature, 'gemini');
  if (text === undefined || text === signature.opaque?.data) return text;
  return Buffer.from(text).toString('base64');
}

/** The member of a part with its signature; empty if it has none. */
export function signatureMember(signature: Signature): { readonly thoughtSignature?: string } {
  const text = encodeSignature(signature);
  return text === undefined ? {} : { thoughtSignature: text };
}

/** Whether a signature is wrapped: Google would reject it. */
export function isWrappedSignature(text: string): boolean {
  return wrappedText(text) !== undefined;
}

function wrappedText(text: string): string | undefined {
  if (!text.startsWith(ENCODED_PREFIX)) return undefined;
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  return decoded.startsWith(WRAPPED_PREFIX) ? decoded : undefined;
}

/** Base64 in the alphabet with `+` and `/`, padded. */
export function standardBase64(text: string): string {
  const standard = text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
  const rest = standard.length % 4;
  return rest === 0 ? standard : standard.padEnd(standard.length + 4 - rest, '=');
}
