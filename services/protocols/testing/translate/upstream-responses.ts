import type { ProtocolName } from '../../src/canonical/protocol-name.ts';

/** The content of an upstream's response, valid or not. */
export interface AnswerText {
  readonly text: string;
  readonly finish: string;
  /** The text of its usage, which need not be JSON of any shape; undefined leaves it out. */
  readonly usage: string | undefined;
}

/** A usage of two figures, each a JSON text, under the names of a protocol; undefined leaves one out. */
export function usageText(name: ProtocolName, input: string | undefined, output: string | undefined): string {
  const [inputName, outputName] = USAGE_NAMES[name];
  const members = [
    ...(input === undefined ? [] : [`"${inputName}":${input}`]),
    ...(output === undefined ? [] : [`"${outputName}":${output}`]),
  ];
  return `{${members.join(',')}}`;
}

const USAGE_NAMES: Readonly<Record<ProtocolName, readonly [input: string, output: string]>> = {
  'openai-chat': ['prompt_tokens', 'completion_tokens'],
  'openai-responses': ['input_tokens', 'output_tokens'],
  'anthropic-messages': ['input_tokens', 'output_tokens'],
  gemini: ['promptTokenCount', 'candidatesTokenCount'],
};

/** The body of a buffered response. */
export function bufferedResponse(name: ProtocolName, response: AnswerText): string {
  const text = JSON.stringify(response.text);
  const finish = JSON.stringify(response.finish);
  switch (name) {
    case 'openai-chat': {
      const choice = `{"index":0,"message":{"role":"assistant","content":${text}},"finish_reason":${finish}}`;
      const head = '"id":"c1","object":"chat.completion","created":1,"model":"m"';
      return `{${head},"choices":[${choice}]${member('usage', response)}}`;
    }
    case 'openai-responses':
      return responseObject(text, finish, response);
    case 'anthropic-messages': {
      const head = '"id":"m1","type":"message","role":"assistant","model":"m"';
      const content = `"content":[{"type":"text","text":${text}}]`;
      return `{${head},${content},"stop_reason":${finish},"stop_sequence":null${member('usage', response)}}`;
    }
    case 'gemini':
      return geminiChunk(text, `,"finishReason":${finish}`, member('usageMetadata', response));
    default:
      return name satisfies never;
  }
}

/** The body of a stream. Its usage is at the end, as at the protocol's providers. */
export function streamedResponse(name: ProtocolName, response: AnswerText): string {
  const text = JSON.stringify(response.text);
  const finish = JSON.stringify(response.finish);
  switch (name) {
    case 'openai-chat': {
      const chunk = (choices: string, more = '') =>
        `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[${choices}]${more}}\n\n`;
      const usage = response.usage === undefined ? '' : chunk('', member('usage', response));
      return [
        chunk(`{"index":0,"delta":{"role":"assistant","content":${text}},"finish_reason":null}`),
        chunk(`{"index":0,"delta":{},"finish_reason":${finish}}`),
        usage,
        'data: [DONE]\n\n',
      ].join('');
    }
    case 'openai-responses':
      return [
        sse('response.created', '"response":{"id":"r1","object":"response","status":"in_progress","output":[]}'),
        sse(
          'response.output_item.added',
          '"output_index":0,"item":{"type":"message","id":"i1","role":"assistant","content":[]}',
        ),
        sse(
          'response.content_part.added',
          '"item_id":"i1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}',
        ),
        sse(
          'response.output_text.delta',
          `"item_id":"i1","output_index":0,"content_index":0,"delta":${text},"logprobs":[]`,
        ),
        sse('response.incomplete', `"response":${responseObject(text, finish, response)}`),
      ].join('');
    case 'anthropic-messages':
      return [
        sse(
          'message_start',
          '"message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":7,"output_tokens":1}}',
        ),
        sse('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
        sse('content_block_delta', `"index":0,"delta":{"type":"text_delta","text":${text}}`),
        sse('content_block_stop', '"index":0'),
        sse('message_delta', `"delta":{"stop_reason":${finish},"stop_sequence":null}${member('usage', response)}`),
        sse('message_stop'),
      ].join('');
    case 'gemini': {
      const last = geminiChunk('""', `,"finishReason":${finish}`, member('usageMetadata', response));
      return `data: ${geminiChunk(text, '', '')}\n\ndata: ${last}\n\n`;
    }
    default:
      return name satisfies never;
  }
}

function member(key: string, { usage }: AnswerText): string {
  return usage === undefined ? '' : `,"${key}":${usage}`;
}

function responseObject(text: string, finish: string, response: AnswerText): string {
  const content = `[{"type":"output_text","text":${text},"annotations":[]}]`;
  const message = `{"type":"message","id":"i1","role":"assistant","status":"completed","content":${content}}`;
  const head = '"id":"r1","object":"response","created_at":1,"model":"m","status":"incomplete"';
  return `{${head},"incomplete_details":{"reason":${finish}},"output":[${message}]${member('usage', response)}}`;
}

function geminiChunk(text: string, finish: string, usage: string): string {
  const candidate = `{"content":{"role":"model","parts":[{"text":${text}}]},"index":0${finish}}`;
  return `{"candidates":[${candidate}]${usage},"modelVersion":"m","responseId":"r1"}`;
}

function sse(type: string, members = ''): string {
  return `event: ${type}\ndata: {"type":"${type}"${members === '' ? '' : `,${members}`}}\n\n`;
}
