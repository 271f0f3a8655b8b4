import { isTurnOver, type Stages } from '../lists/stages.ts';
import type { Message } from './message.ts';
import type { ToolResultPart } from './part.ts';
import type { Tool } from './tool.ts';

/**
 * The tool name of each result of a conversation, for protocols that require it: the result's own, else that of the last
 * call before it with its id. A result without a call has none.
 */
export function* callNames(messages: readonly Message[]): Stages<(result: ToolResultPart) => string | undefined> {
  const names = new Map<ToolResultPart, string>();
  const byId = new Map<string, string>();
  for (const message of messages) {
    if (isTurnOver(1 + message.parts.length)) yield;
    if (message.role === 'assistant') {
      for (const part of message.parts) if (part.type === 'tool-call') byId.set(part.id, part.name);
    } else if (message.role === 'tool') {
      for (const part of message.parts) {
        const name = part.name ?? byId.get(part.callId);
        if (name !== undefined) names.set(part, name);
      }
    }
  }
  return (result) => names.get(result);
}

/** The kind of tool of each name; of several tools with one name, the first counts. */
export function toolKinds(tools: readonly Tool[]): ReadonlyMap<string, Tool['type']> {
  const kinds = new Map<string, Tool['type']>();
  for (const { name, type } of tools) if (!kinds.has(name)) kinds.set(name, type);
  return kinds;
}
