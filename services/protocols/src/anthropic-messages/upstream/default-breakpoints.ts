import type { CanonicalRequest } from '../../canonical/request.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { encodeCacheControl } from '../shared/cache.ts';

/**
 * Places cache breakpoints after the instructions and after the last turn, if the client names a key for its provider's
 * cache but sets no breakpoints itself. Providers of other protocols cache without breakpoints, and such a key shows that
 * the prompt will be sent again with more turns, as agents do.
 */
export function placeBreakpoints(body: JsonRecord, request: CanonicalRequest): JsonRecord {
  if (request.cacheKey === undefined || hasHints(request)) return body;
  const { system, messages } = body;
  return {
    ...body,
    ...(Array.isArray(system) && { system: withLast(system, marked) }),
    ...(Array.isArray(messages) && { messages: withLast(messages, markedTurn) }),
  };
}

function hasHints({ cache, messages, tools }: CanonicalRequest): boolean {
  if (cache !== undefined || tools.some((tool) => tool.cache !== undefined)) return true;
  return messages.some(({ parts }) => parts.some((part) => 'cache' in part && part.cache !== undefined));
}

function markedTurn(turn: JsonRecord): JsonRecord {
  const { content } = turn;
  return Array.isArray(content) ? { ...turn, content: withLast(content, marked) } : turn;
}

function marked(block: JsonRecord): JsonRecord {
  return { ...block, cache_control: encodeCacheControl({}) };
}

function withLast(list: readonly unknown[], change: (last: JsonRecord) => JsonRecord): unknown[] {
  const last = list.at(-1);
  return isRecord(last) ? [...list.slice(0, -1), change(last)] : [...list];
}
