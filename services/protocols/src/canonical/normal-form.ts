import type { Message } from './message.ts';

/**
 * Turns in normal form: messages without parts are gone, and neighbours of the same role (and name) among `user`,
 * `assistant` and `tool` are one, placed where the first of them stood.
 */
export function normalForm(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    if (message.parts.length === 0) continue;
    const previous = turns.at(-1);
    const merged = previous === undefined ? undefined : merge(previous, message);
    if (merged === undefined) turns.push(message);
    else turns[turns.length - 1] = merged;
  }
  return turns;
}

function merge(first: Message, second: Message): Message | undefined {
  if (first.role === 'user' && second.role === 'user' && first.name === second.name) {
    return { ...first, parts: [...first.parts, ...second.parts] };
  }
  if (first.role === 'assistant' && second.role === 'assistant' && first.name === second.name) {
    return { ...first, parts: [...first.parts, ...second.parts] };
  }
  if (first.role === 'tool' && second.role === 'tool') return { ...first, parts: [...first.parts, ...second.parts] };
  return undefined;
}
