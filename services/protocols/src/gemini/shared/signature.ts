import { type Opaque, unwrapOpaque, wrapOpaque } from '../../canonical/opaque.ts';

/*
 * In JSON, a thoughtSignature is base64 in either alphabet: the Python SDK decodes it and sends it in the other
 * one. So a wrapped value of another protocol is base64-encoded as well, and both alphabets are decoded.
 */

const WRAPPED_PREFIX = Buffer.from('tg1.').toString('base64').slice(0, 5);

/** Decodes a signature: Gemini's own, or a wrapped one of another protocol. */
export function decodeSignature(text: string): Opaque {
  const own: Opaque = { origin: 'gemini', data: standardBase64(text) };
  if (!text.startsWith(WRAPPED_PREFIX)) return own;
  const unwrapped = unwrapOpaque(Buffer.from(text, 'base64').toString('utf8'), 'gemini');
  return unwrapped.origin === 'gemini' ? own : unwrapped;
}

export function encodeSignature(opaque: Opaque): string {
  const wrapped = wrapOpaque(opaque, 'gemini');
  return wrapped === opaque.data ? wrapped : Buffer.from(wrapped).toString('base64');
}

/** Whether a signature is another protocol's, which Google would reject. */
export function isForeignSignature(text: string): boolean {
  return text.startsWith(WRAPPED_PREFIX) && decodeSignature(text).origin !== 'gemini';
}

/** Base64 in the alphabet with `+` and `/`, padded. */
export function standardBase64(text: string): string {
  const standard = text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text;
  const rest = standard.length % 4;
  return rest === 0 ? standard : standard.padEnd(standard.length + 4 - rest, '=');
}
