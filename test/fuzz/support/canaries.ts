/** Texts in everything secret, to search for leaks. */
export const PROMPT_CANARY = 'prompt-canary';
export const COMPLETION_CANARY = 'completion-canary';
export const CREDENTIAL_CANARY = 'credential-canary';

/** Prefix of every client key. */
export const KEY_PREFIX = 'sk-tollgate-';

/** The name of a secret in a log line; undefined if it has none. */
export function secretIn(line: string): string | undefined {
  if (line.includes(CREDENTIAL_CANARY)) return 'a provider credential';
  if (line.includes(PROMPT_CANARY)) return 'a prompt';
  if (line.includes(COMPLETION_CANARY)) return 'a completion';
  return line.includes(KEY_PREFIX) ? 'a client key' : undefined;
}
