import { hash } from 'node:crypto';

/** What a sealed value holds. */
export interface WrappedReasoning {
  /** Which protocol's value it is: one made for another is not taken. */
  kind: string;
  /** The reasoning it stands for. */
  text: string;
  /** The item it belongs to, where the protocol ties them. */
  item?: string;
}

const CHECKSUM_LENGTH = 16;

/**
 * Creates a value that only the simulator makes, as signatures and encrypted reasoning are: base64 of what it holds and
 * a digest over it. The same reasoning always gives the same value.
 */
export function wrapReasoning(sealed: WrappedReasoning): string {
  const content = JSON.stringify([sealed.kind, sealed.text, sealed.item ?? null]);
  return Buffer.from(`${checksum(content)}${content}`).toString('base64');
}

/** Opens a value of {@link wrapReasoning}; undefined when the simulator did not make it, or made it for another protocol. */
export function unwrapReasoning(kind: string, value: string): WrappedReasoning | undefined {
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  const content = decoded.slice(CHECKSUM_LENGTH);
  if (decoded.slice(0, CHECKSUM_LENGTH) !== checksum(content)) return undefined;
  const parsed: unknown = JSON.parse(content);
  if (!Array.isArray(parsed)) return undefined;
  const [foundKind, text, item] = parsed;
  if (foundKind !== kind || typeof text !== 'string') return undefined;
  return { kind, text, ...(typeof item === 'string' ? { item } : {}) };
}

function checksum(content: string): string {
  return hash('sha256', `tollgate simulated seal ${content}`).slice(0, CHECKSUM_LENGTH);
}
