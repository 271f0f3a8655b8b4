import type { ProtocolName } from '../protocol-name.ts';
import { attachOpaques } from './carry.ts';
import type { EncodeNotes } from './encode-notes.ts';
import type { Message } from './message.ts';
import { normalForm } from './normal-form.ts';
import type { AnswerPart } from './part.ts';

/**
 * The turns as an upstream can take them that verifies thoughts: reasoning without a seal of its own is left out, with
 * one warning for all. Other providers' seals on texts and tool calls are taken off silently, since nothing is lost that
 * this provider could read. Seals carried behind the parts they belong to are put back. What comes out is in normal form.
 *
 * @param home the upstream's protocol
 */
export function withOwnReasoning(messages: readonly Message[], home: ProtocolName, notes: EncodeNotes): Message[] {
  let isWarned = false;
  const leaveOut = (at: string | undefined) => {
    if (!isWarned) notes.warn(at, "earlier thoughts that are not this provider's own are not passed on to it");
    isWarned = true;
  };
  return normalForm(
    messages.map((message) => {
      if (message.role !== 'assistant') return message;
      const parts: AnswerPart[] = [];
      for (const part of attachOpaques(message.parts)) {
        if (part.type === 'reasoning' && part.opaque?.origin !== home) leaveOut(part.at ?? message.at);
        else parts.push(withoutForeignOpaque(part, home));
      }
      return { ...message, parts };
    }),
  );
}

/** The part without a seal that only another provider can read. */
export function withoutForeignOpaque(part: AnswerPart, home: ProtocolName): AnswerPart {
  if (part.type !== 'text' && part.type !== 'tool-call') return part;
  if (part.opaque === undefined || part.opaque.origin === home) return part;
  const { opaque: _foreign, ...rest } = part;
  return rest;
}
