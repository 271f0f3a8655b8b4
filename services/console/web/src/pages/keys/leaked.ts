/** What can be searched for in a pasted text. */
export type LeakedInput =
  | { kind: 'empty' }
  /** A whole key. It must not be sent: only its hash or its last four characters. */
  | { kind: 'key'; key: string; lastFour: string }
  | { kind: 'last_four'; lastFour: string }
  | { kind: 'unreadable' };

const KEY = /(?<![0-9A-Za-z])sk-[a-z0-9-]{1,40}-[0-9A-Za-z]{44}(?![0-9A-Za-z])/;

/** Reads a pasted text: a key, also inside of other text such as a line of a log, or four characters. */
export function readLeaked(text: string): LeakedInput {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  const key = KEY.exec(trimmed)?.[0];
  if (key !== undefined) return { kind: 'key', key, lastFour: key.slice(-4) };
  const lastFour = trimmed.replace(/^(\.{3}|…)/, '');
  if (/^[0-9A-Za-z]{4}$/.test(lastFour)) return { kind: 'last_four', lastFour };
  return { kind: 'unreadable' };
}

/**
 * SHA-256 in hex. Undefined where the browser has no WebCrypto: on a page that was loaded over http from another machine.
 */
export async function sha256(text: string): Promise<string | undefined> {
  // Absent outside of secure contexts, whatever its type says.
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return undefined;
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
