import { type ClientEmbeddings, inputTokens, requestTexts } from '@tollgate/protocols/embeddings/index';
import { loadCounter } from '@tollgate/protocols/tokens/counter';

/** Counts the input's tokens, for an upstream that reports no usage: an estimate, but for those that came as tokens. */
export async function countEmbeddingsInput({ canonical }: ClientEmbeddings): Promise<number> {
  const count = await loadCounter();
  return inputTokens(canonical) + (await count(requestTexts(canonical).join('\n')));
}
