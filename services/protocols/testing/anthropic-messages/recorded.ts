/** Streams as Anthropic sends them, with reasoning, a cited text, two calls and a ping. */
export const RECORDED: Buffer = Buffer.from(
  [
    event('message_start', {
      message: {
        id: 'msg_01',
        type: 'message',
        role: 'assistant',
        model: 'claude-upstream',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 20,
          cache_creation_input_tokens: 9,
          cache_read_input_tokens: 5,
          cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 7 },
          output_tokens: 1,
        },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    event('ping', {}),
    event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Zwölf 🙂' } }),
    event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'EqMC+/=' } }),
    event('content_block_stop', { index: 0 }),
    event('content_block_start', { index: 1, content_block: { type: 'text', text: '', citations: null } }),
    event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Es ist ' } }),
    event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'wärmer.' } }),
    event('content_block_delta', {
      index: 1,
      delta: {
        type: 'citations_delta',
        citation: {
          type: 'char_location',
          cited_text: 'warm',
          document_index: 0,
          document_title: 'Weather',
          start_char_index: 3,
          end_char_index: 7,
        },
      },
    }),
    event('content_block_stop', { index: 1 }),
    event('content_block_start', {
      index: 2,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
    }),
    event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '' } }),
    event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":' } }),
    event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: ' "Köln"}' } }),
    event('content_block_stop', { index: 2 }),
    event('content_block_start', {
      index: 3,
      content_block: { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
    }),
    event('content_block_stop', { index: 3 }),
    event('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } },
    }),
    event('message_stop', {}),
  ].join(''),
);

export function event(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
