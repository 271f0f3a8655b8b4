import { createHash } from 'node:crypto';

/** Crockford's base 32: without I, L, O and U, which people mistake. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 125 bits. */
const CHARACTERS = 25;
const GROUP = 5;

/** Random bytes that a code is made of. */
export const CODE_BYTES = CHARACTERS;

/** A code such as `7KQ2M-0V5ZX-…`. @param random CODE_BYTES random bytes */
export function codeOf(random: Uint8Array): string {
  const characters = [...random.subarray(0, CHARACTERS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return Array.from({ length: CHARACTERS / GROUP }, (_, group) =>
    characters.slice(group * GROUP, (group + 1) * GROUP).join(''),
  ).join('-');
}

/** What is stored of a code; as people type it, with mistaken characters too. */
export function hashOfCode(code: string): Buffer {
  const typed = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return createHash('sha256').update(typed).digest();
}
