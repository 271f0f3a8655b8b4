import { DIRECTIVE, readControls } from '../controls/read.ts';
import type { Controls } from '../controls/schema.ts';
import { countTokens, TOKENS_PER_REQUEST } from '../model/tokens.ts';

/** The controls of a call: from its `simulate` field and a directive in one of its texts. */
export function controlsOf(field: unknown, texts: readonly string[]) {
  return readControls(field, texts.find((text) => text.includes(DIRECTIVE)) ?? '');
}

/** The reported tokens: those of each text, added up; undefined if usage is omitted. */
export function reportedTokens(texts: readonly string[], given: number, { usage }: Controls): number | undefined {
  if (usage === 'omit') return undefined;
  if (usage === 'zero') return 0;
  return texts.reduce((sum, text) => sum + countTokens(text), given + TOKENS_PER_REQUEST);
}
