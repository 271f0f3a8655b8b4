/** Dialects with the field in which their providers take reasoning back. */
export const DIALECTS = {
  openai: 'none',
  openrouter: 'reasoning_details',
  groq: 'reasoning',
  mistral: 'thinking_parts',
  deepseek: 'reasoning_content',
  xai: 'none',
  together: 'reasoning',
  fireworks: 'reasoning_content',
  cerebras: 'reasoning',
  perplexity: 'none',
  moonshot: 'reasoning_content',
  zhipu: 'reasoning_content',
  qwen: 'reasoning_content',
  vllm: 'reasoning',
  sglang: 'reasoning_content',
  ollama: 'reasoning',
  'lm-studio': 'reasoning',
  'llama-cpp': 'reasoning_content',
} as const;

export type DialectName = keyof typeof DIALECTS;

export const DIALECT_NAMES = Object.keys(DIALECTS).filter((name): name is DialectName => name in DIALECTS);

/** Another dialect for each, whose provider the entries of models `wrong-…` have. */
export function otherDialect(name: DialectName, distance: number): DialectName {
  const index = DIALECT_NAMES.indexOf(name);
  return DIALECT_NAMES[(index + distance) % DIALECT_NAMES.length] ?? name;
}

/** How far away in the list the wrong dialects are. */
export const DISTANCES = [3, 8] as const;
