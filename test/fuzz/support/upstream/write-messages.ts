import type { Content, Truth } from './content.ts';
import { event, type StreamEvent } from './events.ts';

const FINISH = { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use' } as const;

export function messagesUsage(truth: Truth): object {
  return {
    input_tokens: truth.input,
    cache_read_input_tokens: truth.cacheRead,
    cache_creation_input_tokens: truth.cacheWrite,
    cache_creation: { ephemeral_5m_input_tokens: truth.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: truth.output + truth.reasoning,
    output_tokens_details: { thinking_tokens: truth.reasoning },
  };
}

/** The usage of `message_start`: the input, and one token of output. */
export function messagesStartUsage(truth: Truth): object {
  return { ...messagesUsage(truth), output_tokens: 1, output_tokens_details: null };
}

export function messagesWhole(content: Content, usage: unknown): object {
  return { ...message(content), content: blocksOf(content), stop_reason: FINISH[content.finish], usage };
}

export function messagesStream(content: Content, startUsage: unknown, usage: unknown): StreamEvent[] {
  const events: StreamEvent[] = [];
  const send = (type: string, fields: object) => events.push(event({ type, ...fields }, type));
  send('message_start', { message: { ...message(content), usage: startUsage } });
  send('ping', {});
  for (const [index, block] of blocksOf(content).entries()) {
    send('content_block_start', { index, content_block: { ...block, ...emptied(block) } });
    for (const delta of deltasOf(content, block)) send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason: FINISH[content.finish], stop_sequence: null }, usage });
  send('message_stop', {});
  return events;
}

interface Block {
  type: string;
  [field: string]: unknown;
}

function blocksOf({ pieces, reasoning, tool }: Content): Block[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'c2VhbA==' }]),
    ...(pieces.length === 0 ? [] : [{ type: 'text', text: pieces.join(''), citations: null }]),
    ...(tool === undefined
      ? []
      : [{ type: 'tool_use', id: 'toolu_1', name: tool.name, input: JSON.parse(tool.args) as unknown }]),
  ];
}

function emptied({ type }: Block): object {
  if (type === 'text') return { text: '' };
  return type === 'thinking' ? { thinking: '', signature: '' } : { input: {} };
}

function deltasOf({ pieces, reasoning, tool }: Content, { type }: Block): object[] {
  if (type === 'text') return pieces.map((text) => ({ type: 'text_delta', text }));
  if (type === 'tool_use') return [{ type: 'input_json_delta', partial_json: tool?.args }];
  return [
    { type: 'thinking_delta', thinking: reasoning },
    { type: 'signature_delta', signature: 'c2VhbA==' },
  ];
}

function message({ model }: Content): object {
  const role = 'assistant';
  return { id: 'msg_1', type: 'message', role, model, content: [], stop_reason: null, stop_sequence: null };
}
