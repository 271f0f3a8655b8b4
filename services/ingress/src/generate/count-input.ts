import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import { loadCounter } from '@tollgate/protocols/tokens/counter';

/** Estimates the tokens of a request's text, for an upstream that reports no usage. Images are not counted. */
export async function countInput(request: ClientRequest): Promise<number> {
  const count = await loadCounter();
  return count(request.texts().join('\n'));
}
