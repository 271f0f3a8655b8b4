import { createHash } from 'node:crypto';

/** What a provider takes as the id of a tool call. */
export interface ToolIdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

const HASH_CHARACTERS = 32;

/**
 * The id towards a provider that does not take every text. One it takes stays; another is replaced by a hash of it, so
 * that a call and its result, and the same call in the next turn, come out alike. The rule must allow `call_` and small
 * hexadecimal digits.
 */
export function providerToolId(id: string, rule: ToolIdRule): string {
  if (id.length <= rule.maxLength && rule.pattern.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARACTERS);
  return `call_${hash}`.slice(0, rule.maxLength);
}
