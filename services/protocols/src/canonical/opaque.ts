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
   * It belongs to the part before it. Set only in a reasoning part without text that follows a text or a tool call whose
   * opaque value the protocol has no field for (see opaque-carrier.ts).
   */
  readonly ofPrevious?: true;
}

const PREFIX = 'tg1.';
const MARK_OF_PREVIOUS = '.p.';

/**
 * Wraps an opaque value for a field of another protocol, so that the client returns it with its
 * origin: `tg1.<origin>.<base64url of the data>`, or `tg1.<origin>.p.<base64url>` if it belongs to the previous part. One of
 * the field's own protocol is written unchanged.
 *
 * @param home the protocol of the field
 */
export function wrapOpaque(opaque: Opaque, home: ProtocolName): string {
  if (opaque.origin === home && opaque.ofPrevious !== true) return opaque.data;
  const mark = opaque.ofPrevious === true ? MARK_OF_PREVIOUS : '.';
  return `${PREFIX}${opaque.origin}${mark}${Buffer.from(opaque.data).toString('base64url')}`;
}

/** Decodes a field of `home`: an own value, or one of wrapOpaque. */
export function unwrapOpaque(text: string, home: ProtocolName): Opaque {
  if (!text.startsWith(PREFIX)) return { origin: home, data: text };
  const rest = text.slice(PREFIX.length);
  const origin = PROTOCOL_NAMES.find((name) => rest.startsWith(`${name}.`));
  if (origin === undefined) return { origin: home, data: text };
  const ofPrevious = rest.startsWith(MARK_OF_PREVIOUS, origin.length);
  const encoded = rest.slice(origin.length + (ofPrevious ? MARK_OF_PREVIOUS.length : 1));
  const data = Buffer.from(encoded, 'base64url').toString('utf8');
  return ofPrevious ? { origin, data, ofPrevious } : { origin, data };
}

/** Whether a field has a value of another protocol, which the provider would reject. */
export function isForeignOpaque(text: string, home: ProtocolName): boolean {
  return unwrapOpaque(text, home).origin !== home;
}
