import { hash } from 'node:crypto';

const CHARACTERS = 16;

/**
 * Identifies a text of a response in the next turn. White space does not count, since clients trim texts and drop line
 * breaks at their ends.
 */
export function textFingerprint(text: string): string {
  return hash('sha256', text.replaceAll(/\s+/g, ''), 'base64url').slice(0, CHARACTERS);
}
