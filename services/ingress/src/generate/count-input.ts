import type { ClientRequest } from '@tollgate/protocols/protocol';
import { loadCounter } from '@tollgate/protocols/tokens/counter';

/** Counts the tokens of a request's text, for an upstream that reports no usage. An estimate: images count as nothing. */
export async function countInput(request: ClientRequest): Promise<number> {
  const count = await loadCounter();
  return count(request.texts().join('\n'));
}
