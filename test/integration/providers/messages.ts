import { at } from '@tollgate/test-support/gateway/json';
import { expect } from 'vitest';
import {
  AFTER,
  ARGUMENTS,
  CALL,
  type Quantities,
  type Recording,
  type Scene,
  TEXT,
  THOUGHT,
  THOUGHTS,
  unsupportedIn,
} from './recorded.ts';

/** The answers of one endpoint of the messages protocol. */
export interface MessagesAnswers {
  /** Fields of each message beside content and usage. */
  head: { id: string; model: string } & Readonly<Record<string, unknown>>;
  callId: string;
  /** Whether it shows thoughts. */
  thinks: boolean;
  /** Of a block of thoughts, and whether its first event, a delta or both have it; absent for thoughts without. */
  signature?: { value: string; at: 'start' | 'delta' | 'both' };
  /** Whether the provider wants its thoughts back; it does by default. */
  takesThoughts?: boolean;
  counts: Readonly<Record<'text' | 'tools' | 'after', MessagesCount>> & { reasoning?: MessagesCount };
  /** Fields of the protocol that it leaves out of the message of the first event, and of the end. */
  lacks?: { start: readonly string[]; end: readonly string[] };
  /** Blocks end only when the message does. */
  lateStops?: true;
  /** Comments before the first event. */
  before?: readonly string[];
  /** Events that may come anywhere, such as pings. */
  between?: readonly object[];
  /** Data after the last event. */
  end?: readonly string[];
}

/** Usage in a whole message, in the first and in the last event of a stream, and what it means. */
export interface MessagesCount {
  whole: object;
  /** Absent where the first event has none. */
  start?: object;
  end: object;
  meant: Quantities;
}

type Block = { type: 'text'; text: string } | { type: 'thinking'; thinking: string; signature?: string } | ToolUse;
type ToolUse = { type: 'tool_use'; id: string; name: string; input: object };

/** An error in the words of the protocol. */
export function messagesError(type: string, message: string, more: object = {}): object {
  return { type: 'error', error: { type, message, ...more } };
}

/** A request for which the protocol's required fields are missing, or with fields of another protocol. */
export function notMessages(request: unknown): string | undefined {
  return (
    unsupportedIn(request, ['max_completion_tokens', 'reasoning_effort', 'stop', 'n', 'seed']) ??
    (at(request, 'max_tokens') === undefined ? 'a request without max_tokens' : undefined)
  );
}

/** The scenes with these answers. */
export function messagesScenes(answers: MessagesAnswers): Scene[] {
  const { counts, callId, signature, thinks, takesThoughts = true } = answers;
  const call: ToolUse = { type: 'tool_use', id: callId, name: CALL.name, input: CALL.input };
  const said = (pieces: readonly string[]): Block => ({ type: 'text', text: pieces.join('') });
  const thinking: Block = { type: 'thinking', thinking: THOUGHT, ...(signature && { signature: signature.value }) };
  const after = recording(answers, [said(AFTER)], 'end_turn', counts.after, { text: AFTER.join('') });
  const scenes: Scene[] = [
    {
      name: 'text',
      answer: recording(answers, [said(TEXT)], 'end_turn', counts.text, { text: TEXT.join('') }),
    },
    {
      name: 'tools',
      answer: recording(answers, [call], 'tool_use', counts.tools, { text: '', calls: [CALL] }),
      after,
    },
  ];
  if (!thinks || counts.reasoning === undefined) return scenes;
  const answer = recording(answers, [thinking, call], 'tool_use', counts.reasoning, {
    text: '',
    thoughts: THOUGHT,
    calls: [CALL],
  });
  if (!takesThoughts) return [...scenes, { name: 'reasoning', answer, after }];
  // Only some clients keep an empty signature, and nobody checks one.
  const kept = signature?.value ? thinking : { type: 'thinking', thinking: THOUGHT };
  const returned = { content: expect.arrayContaining([expect.objectContaining(kept)]) };
  return [...scenes, { name: 'reasoning', answer, after, returned }];
}

function recording(
  answers: MessagesAnswers,
  content: readonly Block[],
  stop_reason: string,
  { whole, start, end, meant }: MessagesCount,
  said: Pick<Recording, 'text' | 'thoughts' | 'calls'>,
): Recording {
  const { head, before = [], between = [], lacks, lateStops = false } = answers;
  const message = { type: 'message', role: 'assistant', ...head };
  const opened = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const closed = without({ stop_reason, stop_sequence: null }, lacks?.end);
  const stops = content.map((_, index) => ({ type: 'content_block_stop', index }));
  return {
    ...said,
    usage: meant,
    whole: { ...message, content, ...closed, usage: whole },
    stream: [
      ...before,
      { type: 'message_start', message: { ...without(opened, lacks?.start), ...(start && { usage: start }) } },
      ...between,
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: emptied(block, answers) },
        ...deltasOf(block, answers).map((delta) => ({ type: 'content_block_delta', index, delta })),
        ...(lateStops ? [] : stops.slice(index, index + 1)),
      ]),
      ...(lateStops ? stops.toReversed() : []),
      { type: 'message_delta', delta: closed, usage: end },
      { type: 'message_stop' },
      ...(answers.end ?? []),
    ],
  };
}

function without(fields: object, names: readonly string[] = []): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function emptied(block: Block, { signature }: MessagesAnswers): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', ...(isAt(signature, 'start') && { signature: '' }) };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block satisfies never;
  }
}

function deltasOf(block: Block, { signature }: MessagesAnswers): object[] {
  switch (block.type) {
    case 'text':
      return halves(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking': {
      const thoughts = THOUGHTS.map((thinking) => ({ type: 'thinking_delta', thinking }));
      return isAt(signature, 'delta')
        ? [...thoughts, { type: 'signature_delta', signature: signature?.value }]
        : thoughts;
    }
    case 'tool_use':
      return ['', ...halves(ARGUMENTS)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    default:
      return block satisfies never;
  }
}

function isAt(signature: MessagesAnswers['signature'], place: 'start' | 'delta'): boolean {
  return signature?.at === place || signature?.at === 'both';
}

function halves(text: string): string[] {
  return [text.slice(0, 4), text.slice(4)];
}
