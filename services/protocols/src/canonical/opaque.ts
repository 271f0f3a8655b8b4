import { PROTOCOL_NAMES, type ProtocolName } from '../protocol-name.ts';

/**
 * Something only the provider that made it can read, and wants back unchanged in the next turn: a thinking signature,
 * encrypted reasoning, a thought signature.
 */
export interface Opaque {
  /** The protocol it was made under. Towards any other it says nothing, and is left out. */
  readonly origin: ProtocolName;
  readonly data: string;
  /**
   * It belongs to the part before it. Set only in a reasoning part without text that stands after a text or a tool call
   * whose own opaque value the protocol has no field for (see carry.ts).
   */
  readonly ofPrevious?: true;
}

const PREFIX = 'tg1.';
const MARK_OF_PREVIOUS = '.p.';

/**
 * Writes an opaque value into a field of another protocol than its own, so that the client brings it back with where it
 * is from: `tg1.<origin>.<base64url of the data>`, or `tg1.<origin>.p.<base64url>` for one of the part before. One that is
 * already at home is written as it is.
 *
 * @param home the protocol of the field
 */
export function wrapOpaque(opaque: Opaque, home: ProtocolName): string {
  if (opaque.origin === home && opaque.ofPrevious !== true) return opaque.data;
  const mark = opaque.ofPrevious === true ? MARK_OF_PREVIOUS : '.';
  return `${PREFIX}${opaque.origin}${mark}${Buffer.from(opaque.data).toString('base64url')}`;
}

/** Reads what a field of `home` holds: something of its own, or what sealOpaque wrote. */
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

/** Whether a field holds something of another protocol, which its own provider would refuse. */
export function isForeignOpaque(text: string, home: ProtocolName): boolean {
  return unwrapOpaque(text, home).origin !== home;
}
