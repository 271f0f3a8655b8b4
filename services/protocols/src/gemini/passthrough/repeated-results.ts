import { isRecord } from '../../json/record.ts';
import { CallIds } from '../client/call-ids.ts';
import type { GeminiContent } from '../shared/schema.ts';

/** Place of a part: its content and its index in it. */
export type PartPlace = readonly [content: number, part: number];

/**
 * Results that repeat one for the same call. Gemini CLI sends them in resumed sessions
 * (https://github.com/google-gemini/gemini-cli/issues/29365), and Google accepts one for each call.
 */
export function findRepeatedResults(contents: readonly GeminiContent[]): PartPlace[] {
  const places: PartPlace[] = [];
  const calls = new CallIds();
  for (const [i, { parts }] of contents.entries()) {
    for (const [j, { functionCall, functionResponse }] of (parts ?? []).entries()) {
      if (functionCall) calls.called(functionCall.id ?? undefined, functionCall.name);
      if (!functionResponse) continue;
      const id = functionResponse.id ?? undefined;
      if (calls.isRepeated(id, functionResponse.name)) places.push([i, j]);
      else calls.answered(id, functionResponse.name);
    }
  }
  return places;
}

/** The contents without these parts. A content without remaining parts is removed. */
export function withoutParts(contents: readonly unknown[], places: readonly PartPlace[]): unknown[] {
  const removed = new Map<number, Set<number>>();
  for (const [content, part] of places) removed.set(content, (removed.get(content) ?? new Set()).add(part));
  return contents.flatMap((content, index) => {
    const parts = removed.get(index);
    if (parts === undefined || !isRecord(content)) return [content];
    const list: readonly unknown[] = Array.isArray(content['parts']) ? content['parts'] : [content['parts']];
    const kept = list.filter((_, at) => !parts.has(at));
    return kept.length === 0 ? [] : [{ ...content, parts: kept }];
  });
}
