import type { ChatRequest } from '@tollgate/protocols/openai-chat/schema';
import { loadCounter } from '@tollgate/protocols/tokens/counter';

/** Counts the tokens of a chat request's text, for an upstream that reports no usage. An estimate: images count as nothing. */
export async function countChatInput(request: ChatRequest): Promise<number> {
  const count = await loadCounter();
  const texts: string[] = [];
  for (const message of request.messages) collectText(message, texts);
  collectText(request.tools ?? [], texts);
  return count(texts.join('\n'));
}

function collectText(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!value.startsWith('data:')) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collectText(element, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collectText(inner, texts);
  }
}
