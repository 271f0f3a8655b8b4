/** Texts that stand in everything secret, so that a leak of it can be searched for. */
export const PROMPT_CANARY = 'prompt-canary';
export const COMPLETION_CANARY = 'completion-canary';
export const CREDENTIAL_CANARY = 'credential-canary';

/** What every client key begins with. */
export const KEY_PREFIX = 'sk-tollgate-';

/** The secret that a log line holds, by name; undefined when it holds none. */
export function secretIn(line: string): string | undefined {
  if (line.includes(CREDENTIAL_CANARY)) return 'a provider credential';
  if (line.includes(PROMPT_CANARY)) return 'a prompt';
  if (line.includes(COMPLETION_CANARY)) return 'a completion';
  return line.includes(KEY_PREFIX) ? 'a client key' : undefined;
}
