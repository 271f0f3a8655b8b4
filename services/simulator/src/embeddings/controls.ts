import { DIRECTIVE, readControls } from '../controls/read.ts';
import type { Controls } from '../controls/schema.ts';
import { countTokens, TOKENS_PER_REQUEST } from '../model/tokens.ts';

/** The controls of a call: of its `simulate` field, and of a directive in one of its texts. */
export function controlsOf(field: unknown, texts: readonly string[]) {
  return readControls(field, texts.find((text) => text.includes(DIRECTIVE)) ?? '');
}

/** Tokens that are reported: those of the texts, each counted for itself; undefined when none are to be. */
export function reportedTokens(texts: readonly string[], given: number, { usage }: Controls): number | undefined {
  if (usage === 'omit') return undefined;
  if (usage === 'zero') return 0;
  return texts.reduce((sum, text) => sum + countTokens(text), given + TOKENS_PER_REQUEST);
}
