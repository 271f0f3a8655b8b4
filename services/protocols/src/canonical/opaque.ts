import { PROTOCOL_NAMES, type ProtocolName } from './protocol-name.ts';

/**
 * A value that only its provider can read and expects back unchanged in the next turn: a thinking signature,
 * encrypted reasoning, a thought signature.
 */
export interface Opaque {
  /** The protocol of its provider. It is dropped for all others. */
  readonly origin: ProtocolName;
  readonly data: string;
  /**
   * The text or tool call that it belongs to. Set only in a reasoning part, for clients whose protocol has no field for it
   * on the part itself (see opaque-carrier.ts).
   */
  readonly of?: OpaqueTarget;
}

export type OpaqueTarget =
  /** The id of a tool call. */
  | { readonly call: string }
  /** The fingerprint of a text (see textFingerprint). */
  | { readonly text: string }
  /** The part before it: how earlier versions marked it. Still read, for conversations in progress. */
  | 'previous';

/** Begins all values that this gateway puts into a client's field. */
export const WRAPPED_PREFIX = 'tg1.';

/**
 * Wraps an opaque value for a field of another protocol, so that the client returns it with its origin:
 *
 * - `tg1.<origin>.<data>`: the value of the reasoning that has the field;
 * - `tg1.<origin>.c.<call id>.<data>`: the value of a tool call;
 * - `tg1.<origin>.t.<fingerprint>.<data>`: the value of a text.
 *
 * The id and the data are base64url. A value of the field's own protocol is written unchanged.
 *
 * @param home the protocol of the field
 */
export function wrapOpaque({ origin, data, of }: Opaque, home: ProtocolName): string {
  if (of === undefined) return origin === home ? data : `${WRAPPED_PREFIX}${origin}.${encode(data)}`;
  if (of === 'previous') return `${WRAPPED_PREFIX}${origin}.p.${encode(data)}`;
  const target = 'call' in of ? `c.${encode(of.call)}` : `t.${of.text}`;
  return `${WRAPPED_PREFIX}${origin}.${target}.${encode(data)}`;
}

/** Decodes a field of `home`: an own value, or one of wrapOpaque. */
export function unwrapOpaque(text: string, home: ProtocolName): Opaque {
  const own: Opaque = { origin: home, data: text };
  if (!text.startsWith(WRAPPED_PREFIX)) return own;
  const [name, first = '', second = '', third = ''] = text.slice(WRAPPED_PREFIX.length).split('.', 5);
  const origin = PROTOCOL_NAMES.find((known) => known === name);
  if (origin === undefined) return own;
  switch (first) {
    case 'c':
      return { origin, data: decode(third), of: { call: decode(second) } };
    case 't':
      return { origin, data: decode(third), of: { text: second } };
    case 'p':
      return { origin, data: decode(second), of: 'previous' };
    default:
      return { origin, data: decode(first) };
  }
}

/** Whether a field has a value that its provider did not make and would reject. */
export function isForeignOpaque(text: string, home: ProtocolName): boolean {
  const { origin, of } = unwrapOpaque(text, home);
  return origin !== home || of !== undefined || text.startsWith(THOUGHTS_PREFIX);
}

/** Begins a value with reasoning in it (see carried-thoughts.ts). */
export const THOUGHTS_PREFIX = `${WRAPPED_PREFIX}thoughts.`;

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}
