import { type ClientEmbeddings, inputTokens, requestTexts } from '@tollgate/protocols/embeddings/index';
import { loadCounter } from '@tollgate/protocols/tokens/counter';

/** Estimates the input's tokens, for an upstream that reports no usage. Input that came as tokens is counted exactly. */
export async function countInput({ canonical }: ClientEmbeddings): Promise<number> {
  const count = await loadCounter();
  return inputTokens(canonical) + (await count(requestTexts(canonical).join('\n')));
}
