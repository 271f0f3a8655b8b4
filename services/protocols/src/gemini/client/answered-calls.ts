import type { AssistantMessage, Message } from '../../canonical/message.ts';
import { normalForm } from '../../canonical/normal-form.ts';
import type { ToolCallPart, ToolResultPart } from '../../canonical/part.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { RequestDiagnostics } from './request-diagnostics.ts';

const NO_RESULT = '(This call has no result.)';

/**
 * Turns in which the results of all calls follow their calls at once, as all providers but Google require. A result that comes
 * later is moved; a call without one, as in an interrupted session, gets one that says so.
 */
export function* answeredCalls(turns: readonly Message[], diagnostics: RequestDiagnostics): Stages<Message[]> {
  const { messages, late } = yield* withoutLateResults(turns);
  const answered: Message[] = [];
  let added: Message | undefined;
  for (const [i, message] of messages.entries()) {
    if (isTurnOver(1 + message.parts.length)) yield;
    if (message.role === 'tool') answered.push(message);
    if (added !== undefined) answered.push(added);
    if (message.role !== 'tool') answered.push(message);
    added = message.role === 'assistant' ? missingResults(message, messages[i + 1], late, diagnostics) : undefined;
  }
  if (added !== undefined) answered.push(added);
  return yield* normalForm(answered);
}

function missingResults(
  message: AssistantMessage,
  next: Message | undefined,
  late: ReadonlyMap<string, ToolResultPart[]>,
  diagnostics: RequestDiagnostics,
): Message | undefined {
  const given = new Set(next?.role === 'tool' ? next.parts.map(({ callId }) => callId) : []);
  const parts = callsOf(message).flatMap((call) => {
    if (given.has(call.id)) return [];
    return [late.get(call.id)?.shift() ?? emptyResult(call, diagnostics)];
  });
  return parts.length === 0 ? undefined : { ...message, role: 'tool', parts };
}

function emptyResult({ id, at = 'contents' }: ToolCallPart, diagnostics: RequestDiagnostics): ToolResultPart {
  diagnostics.warn(at, "has no result, so this model's provider gets a short one that says so");
  const parts = [{ type: 'text', text: NO_RESULT, at }] as const;
  return { type: 'tool-result', callId: id, kind: 'function', parts, isError: false, at };
}

interface Sorted {
  readonly messages: readonly Message[];
  /** Results that do not follow their calls, by the ids of these. */
  readonly late: ReadonlyMap<string, ToolResultPart[]>;
}

function* withoutLateResults(turns: readonly Message[]): Stages<Sorted> {
  const late = new Map<string, ToolResultPart[]>();
  const messages: Message[] = [];
  for (const [i, turn] of turns.entries()) {
    if (isTurnOver(1 + turn.parts.length)) yield;
    if (turn.role !== 'tool') {
      messages.push(turn);
      continue;
    }
    const before = turns[i - 1];
    const called = new Set(before?.role === 'assistant' ? callsOf(before).map(({ id }) => id) : []);
    const parts = turn.parts.filter((part) => {
      if (called.has(part.callId)) return true;
      const others = late.get(part.callId);
      if (others === undefined) late.set(part.callId, [part]);
      else others.push(part);
      return false;
    });
    if (parts.length > 0) messages.push({ ...turn, parts });
  }
  return { messages, late };
}

function callsOf({ parts }: AssistantMessage) {
  return parts.filter((part) => part.type === 'tool-call');
}
