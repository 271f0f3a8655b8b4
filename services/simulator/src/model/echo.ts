import type { Conversation, Part } from './conversation.ts';

/**
 * The received request as JSON text, which a response contains with the control `echo`, so that a caller sees what the
 * provider received.
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
