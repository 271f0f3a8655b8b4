import type { Conversation, Part } from './conversation.ts';

/**
 * The JSON text of what arrived: with the control `echo` the response says it, so that a caller sees through whatever
 * stands between what the provider received.
 */
export function echoJson(protocol: string, conversation: Conversation): string {
  const { model, turns, tools, settings } = conversation;
  return JSON.stringify({
    protocol,
    model,
    system: turns.filter((turn) => turn.side === 'instructions').flatMap((turn) => texts(turn.parts)),
    turns: turns
      .filter((turn) => turn.side !== 'instructions')
      .map((turn) => ({ role: turn.role, side: turn.side, parts: turn.parts })),
    tools,
    settings,
  });
}

function texts(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
}
