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
} from './recorded.ts';

/** The answers of one endpoint of the messages protocol. */
export interface MessagesAnswers {
  /** Fields of each message beside content and usage. */
  head: { id: string; model: string };
  callId: string;
  /** Fields of a block of thoughts; absent for a provider without thoughts. */
  signature?: string;
  /** Without a signature, unless `signature` is set. */
  thinks: boolean;
  /** The last event of a block of thoughts is a delta with the signature. */
  counts: Readonly<Record<'text' | 'tools' | 'reasoning' | 'after', MessagesCount>>;
  /** Events that may come anywhere, such as pings. */
  between?: readonly object[];
}

/** Usage in a whole message, in the first and in the last event of a stream, and what it means. */
export interface MessagesCount {
  whole: object;
  start: object;
  end: object;
  meant: Quantities;
}

type Block = { type: 'text'; text: string } | { type: 'thinking'; thinking: string; signature?: string } | ToolUse;
type ToolUse = { type: 'tool_use'; id: string; name: string; input: object };

/** The scenes with these answers. */
export function messagesScenes(answers: MessagesAnswers): Scene[] {
  const { counts, callId, signature, thinks } = answers;
  const call: ToolUse = { type: 'tool_use', id: callId, name: CALL.name, input: CALL.input };
  const said = (pieces: readonly string[]): Block => ({ type: 'text', text: pieces.join('') });
  const thinking: Block = { type: 'thinking', thinking: THOUGHT, ...(signature !== undefined && { signature }) };
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
  if (!thinks) return scenes;
  const answer = recording(answers, [thinking, call], 'tool_use', counts.reasoning, {
    text: '',
    thoughts: THOUGHT,
    calls: [CALL],
  });
  const returned = { content: expect.arrayContaining([expect.objectContaining(thinking)]) };
  return [...scenes, { name: 'reasoning', answer, after, returned }];
}

function recording(
  { head, between = [] }: MessagesAnswers,
  content: readonly Block[],
  stop_reason: string,
  { whole, start, end, meant }: MessagesCount,
  said: Pick<Recording, 'text' | 'thoughts' | 'calls'>,
): Recording {
  const message = { id: head.id, type: 'message', role: 'assistant', model: head.model };
  return {
    ...said,
    usage: meant,
    whole: { ...message, content, stop_reason, stop_sequence: null, usage: whole },
    stream: [
      {
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: start },
      },
      ...between,
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: emptied(block) },
        ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: end },
      { type: 'message_stop' },
    ],
  };
}

function emptied(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', ...(block.signature !== undefined && { signature: '' }) };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block satisfies never;
  }
}

function deltasOf(block: Block): object[] {
  switch (block.type) {
    case 'text':
      return halves(block.text).map((text) => ({ type: 'text_delta', text }));
    case 'thinking': {
      const thoughts = THOUGHTS.map((thinking) => ({ type: 'thinking_delta', thinking }));
      const { signature } = block;
      return signature === undefined ? thoughts : [...thoughts, { type: 'signature_delta', signature }];
    }
    case 'tool_use':
      return ['', ...halves(ARGUMENTS)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    default:
      return block satisfies never;
  }
}

function halves(text: string): string[] {
  return [text.slice(0, 4), text.slice(4)];
}
