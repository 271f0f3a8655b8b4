import type { ModelParameters, ReasoningHistory } from '../../interface/parameters.ts';
import { isRecord, isSet, type JsonRecord } from '../../json/record.ts';
import { decodeDetails, thinkingText } from './reasoning.ts';

/** The fields in which providers have the reasoning of a message. */
const FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;
type Field = (typeof FIELDS)[number];

/** An assistant message whose reasoning is where the provider takes it. */
export interface FittedReasoning {
  readonly message: JsonRecord;
  /** The field that was left out. */
  readonly lost: string | undefined;
}

/** Moves the reasoning of an earlier assistant message to the field of the provider; the same object if it is there. */
export function fitReasoning(
  message: JsonRecord,
  { reasoningHistory, reasoningRequired }: ModelParameters,
): FittedReasoning {
  const fitted: FittedReasoning =
    reasoningHistory === undefined ? { message, lost: undefined } : moved(message, reasoningHistory);
  if (reasoningRequired !== true || isSet(fitted.message['reasoning_content'])) return fitted;
  return { ...fitted, message: { ...fitted.message, reasoning_content: '' } };
}

function moved(message: JsonRecord, history: ReasoningHistory): FittedReasoning {
  const given = FIELDS.find((field) => isSet(message[field]));
  const parts = thinkingParts(message['content']);
  if (given === undefined && parts.length === 0) return { message, lost: undefined };
  const from = given ?? 'content';
  switch (history) {
    case 'none':
      return { message: without(message, FIELDS), lost: from };
    case 'reasoning_content':
      // Details beside it, or without a text, are signed by a provider that takes both.
      return isSet(message['reasoning_content']) || reasoningText(message) === ''
        ? { message: without(message, ['reasoning']), lost: undefined }
        : renamed(message, history, from);
    case 'reasoning':
      return renamed(message, history, from);
    case 'reasoning_details':
      return detailed(message, from);
    case 'thinking_parts':
      return parts.length > 0 ? { message: withoutFields(message, FIELDS), lost: undefined } : asPart(message, from);
    default:
      return history satisfies never;
  }
}

function renamed(message: JsonRecord, to: 'reasoning_content' | 'reasoning', from: string): FittedReasoning {
  const text = reasoningText(message);
  const others = FIELDS.filter((field) => field !== to);
  const bare = without(message, others);
  if (text === '') return { message: without(bare, [to]), lost: from };
  return { message: bare[to] === text ? bare : { ...bare, [to]: text }, lost: undefined };
}

/** Details go back as they came; other reasoning becomes one. */
function detailed(message: JsonRecord, from: string): FittedReasoning {
  if (isSet(message['reasoning_details'])) return { message: without(message, ['reasoning_content']), lost: undefined };
  const text = reasoningText(message);
  const bare = without(message, FIELDS);
  if (text === '') return { message: bare, lost: from };
  return { message: { ...bare, reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] }, lost: undefined };
}

function asPart(message: JsonRecord, from: string): FittedReasoning {
  const text = reasoningText(message);
  const bare = withoutFields(message, FIELDS);
  if (text === '') return { message: bare, lost: from };
  const { content } = message;
  const said: readonly unknown[] = Array.isArray(content)
    ? content
    : typeof content === 'string' && content !== ''
      ? [{ type: 'text', text: content }]
      : [];
  const part = { type: 'thinking', thinking: [{ type: 'text', text }] };
  return { message: { ...bare, content: [part, ...said] }, lost: undefined };
}

/** The text of a message's reasoning, in whichever place it is. */
function reasoningText(message: JsonRecord): string {
  const { reasoning_content: content, reasoning, reasoning_details: details } = message;
  if (typeof content === 'string' && content !== '') return content;
  if (typeof reasoning === 'string' && reasoning !== '') return reasoning;
  const detail = decodeDetails(details)
    .map(({ text }) => text)
    .join('');
  return detail !== '' ? detail : thinkingParts(message['content']).map(thinkingText).join('');
}

function thinkingParts(content: unknown): JsonRecord[] {
  return Array.isArray(content) ? content.filter(isRecord).filter(isThinking) : [];
}

function isThinking(part: JsonRecord): boolean {
  return part['type'] === 'thinking';
}

/** The message without reasoning fields and without thinking parts. */
function without(message: JsonRecord, fields: readonly Field[]): JsonRecord {
  const bare = withoutFields(message, fields);
  const { content } = bare;
  if (!Array.isArray(content) || thinkingParts(content).length === 0) return bare;
  const kept: readonly unknown[] = content.filter((part) => !isRecord(part) || !isThinking(part));
  return { ...bare, content: kept.length === 0 ? '' : kept };
}

function withoutFields(message: JsonRecord, fields: readonly Field[]): JsonRecord {
  if (!fields.some((field) => field in message)) return message;
  return Object.fromEntries(Object.entries(message).filter(([key]) => !fields.some((field) => field === key)));
}
