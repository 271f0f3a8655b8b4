import { isTurnOver, type Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { Message } from './message.ts';
import { normalForm } from './normal-form.ts';
import type { OutputPart, ReasoningPart } from './part.ts';
import type { ProtocolName } from './protocol-name.ts';

/**
 * Turns for an upstream that verifies reasoning: reasoning without a signature of its own is dropped, with
 * one warning for all. Foreign signatures on texts and tool calls are removed silently, since this provider could not
 * read them. The result is in normal form.
 *
 * @param home the upstream's protocol
 * @param takesUnsigned whether the upstream takes the text of any reasoning, without a signature
 */
export function* withOwnReasoning(
  messages: readonly Message[],
  home: ProtocolName,
  diagnostics: Diagnostics,
  takesUnsigned = false,
): Stages<Message[]> {
  let isWarned = false;
  const leaveOut = (at: string | undefined) => {
    if (!isWarned) diagnostics.warn(at, "reasoning of another provider is not passed on to this model's provider");
    isWarned = true;
  };
  const own: Message[] = [];
  for (const message of messages) {
    if (isTurnOver()) yield;
    if (message.role !== 'assistant') {
      own.push(message);
      continue;
    }
    const parts: OutputPart[] = [];
    for (const part of message.parts) {
      if (part.type !== 'reasoning' || part.opaque?.origin === home) parts.push(withoutForeignOpaque(part, home));
      else if (takesUnsigned && part.text.trim() !== '') parts.push(unsigned(part));
      else leaveOut(part.at ?? message.at);
      if (isTurnOver()) yield;
    }
    own.push({ ...message, parts });
  }
  return yield* normalForm(own);
}

function unsigned({ opaque: _foreign, ...part }: ReasoningPart): ReasoningPart {
  return part;
}

/** Returns the part without a foreign signature. */
export function withoutForeignOpaque(part: OutputPart, home: ProtocolName): OutputPart {
  if (part.type !== 'text' && part.type !== 'tool-call') return part;
  if (part.opaque === undefined || part.opaque.origin === home) return part;
  const { opaque: _foreign, ...rest } = part;
  return rest;
}
