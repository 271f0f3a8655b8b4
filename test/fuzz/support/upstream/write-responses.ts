import type { Content, Truth } from './content.ts';
import { event, type StreamEvent } from './events.ts';

export function responsesUsage(truth: Truth): object {
  const input = truth.input + truth.cacheRead + truth.cacheWrite;
  const output = truth.output + truth.reasoning;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: truth.cacheRead, cache_write_tokens: truth.cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: truth.reasoning },
    total_tokens: input + output,
  };
}

export function responsesWhole(content: Content, usage: unknown): object {
  const isCut = content.finish === 'length';
  return {
    ...snapshot(content, isCut ? 'incomplete' : 'completed'),
    output: itemsOf(content),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    usage,
  };
}

export function responsesStream(content: Content, usage: unknown): StreamEvent[] {
  const events: StreamEvent[] = [];
  const send = (type: string, fields: object) =>
    events.push(event({ type, sequence_number: events.length, ...fields }, type));
  send('response.created', { response: snapshot(content, 'in_progress') });
  send('response.in_progress', { response: snapshot(content, 'in_progress') });
  for (const [output_index, item] of itemsOf(content).entries()) {
    send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } });
    if (item.type === 'message') streamText(content, output_index, send);
    if (item.type === 'function_call') {
      const at = { output_index, item_id: item.id };
      send('response.function_call_arguments.delta', { ...at, delta: item['arguments'] });
      send('response.function_call_arguments.done', { ...at, arguments: item['arguments'], name: item['name'] });
    }
    send('response.output_item.done', { output_index, item });
  }
  const buffered = responsesWhole(content, usage);
  send(content.finish === 'length' ? 'response.incomplete' : 'response.completed', { response: buffered });
  return events;
}

function streamText(content: Content, output_index: number, send: (type: string, fields: object) => void): void {
  const at = { output_index, item_id: 'msg_1', content_index: 0 };
  const text = content.pieces.join('');
  send('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } });
  for (const delta of content.pieces) send('response.output_text.delta', { ...at, delta });
  send('response.output_text.done', { ...at, text });
  send('response.content_part.done', { ...at, part: { type: 'output_text', text, annotations: [] } });
}

interface Item {
  type: string;
  id: string;
  [field: string]: unknown;
}

function itemsOf({ pieces, reasoning, tool }: Content): Item[] {
  const status = 'completed';
  const text = { type: 'output_text', text: pieces.join(''), annotations: [] };
  const summary = [{ type: 'summary_text', text: reasoning }];
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'c2VhbA==' }]),
    ...(pieces.length === 0 ? [] : [{ type: 'message', id: 'msg_1', role: 'assistant', status, content: [text] }]),
    ...(tool === undefined
      ? []
      : [{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: tool.name, arguments: tool.args, status }]),
  ];
}

function snapshot({ model }: Content, status: string): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: null,
  };
}
