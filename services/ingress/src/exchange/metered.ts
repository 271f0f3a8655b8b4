import { loadCounter } from '@tollgate/protocols/tokens/counter';
import { claimsNoOutput, type Usage, usageOf } from '@tollgate/protocols/usage';
import type { Exchange } from './exchange.ts';

/** What was seen of an answer, from which its usage follows. */
export interface Observed {
  /** As the upstream reported it; undefined when it did not. */
  reported: Usage | undefined;
  /** All text that was generated and seen: content, reasoning, refusals, tool arguments. */
  text: string;
}

export interface Metered {
  usage: Usage;
  /** The usage was counted by us, at least in part, since the upstream gave none or one that cannot be. */
  estimated: boolean;
}

/**
 * The usage of an answer: the upstream's report where there is one, else a tokenizer's count of what went in and came out.
 * No output beside delivered text is no report: it is what is known of an answer that broke off, or a mistake. Its input is
 * taken all the same where it tells one. The tokens of the upstream may be others than ours, so that a count is held to the
 * limit it was given.
 */
export async function meter(
  { reported, text }: Observed,
  { countInput, mostOutputTokens }: Pick<Exchange, 'countInput' | 'mostOutputTokens'>,
): Promise<Metered> {
  if (reported !== undefined && !(claimsNoOutput(reported) && text !== ''))
    return { usage: reported, estimated: false };
  const count = await loadCounter();
  const output = Math.min(await count(text), mostOutputTokens);
  const usage = reported !== undefined && tellsInput(reported) ? { ...reported, output } : undefined;
  return { usage: usage ?? usageOf({ input: await countInput(), output }), estimated: true };
}

function tellsInput(usage: Usage): boolean {
  return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h > 0;
}
