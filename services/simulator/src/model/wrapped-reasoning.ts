import { hash } from 'node:crypto';

/** Content of a wrapped value. */
export interface WrappedReasoning {
  /** The protocol of the value, which others do not accept. */
  kind: string;
  /** The reasoning. */
  text: string;
  /** Its item, if the protocol binds them. */
  item?: string;
}

const CHECKSUM_LENGTH = 16;

/**
 * Wraps reasoning like a provider's signature or encrypted reasoning: base64 of the content and a digest. The same
 * reasoning always yields the same value.
 */
export function wrapReasoning(signed: WrappedReasoning): string {
  const content = JSON.stringify([signed.kind, signed.text, signed.item ?? null]);
  return Buffer.from(`${checksum(content)}${content}`).toString('base64');
}

/** Unwraps a value of {@link wrapReasoning}; undefined if the simulator did not create it, or for another protocol. */
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
  return hash('sha256', `tollgate simulated reasoning ${content}`).slice(0, CHECKSUM_LENGTH);
}
