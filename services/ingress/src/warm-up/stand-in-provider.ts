import { createServer, type Socket } from 'node:net';
import { listen } from '@tollgate/common/http-server';
import { MessageReader } from './message-reader.ts';

export interface StandInProvider {
  baseUrl: string;
  stop: () => void;
}

/**
 * Starts a provider of chat completions on a loopback port. Its buffered response is always the same, and so is its stream, with
 * the headers and members of OpenAI's.
 */
export async function startStandInProvider(): Promise<StandInProvider> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const reader = new MessageReader();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      const request = reader.read(chunk);
      if (request !== undefined) socket.write(request.includes('"stream":true') ? STREAM : BUFFERED);
    });
  });
  const port = await listen(server, '127.0.0.1', 0);
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { baseUrl: `http://127.0.0.1:${port}/v1`, stop };
}

const TOKENS = 16;
const USAGE = {
  prompt_tokens: 220,
  completion_tokens: TOKENS,
  total_tokens: 220 + TOKENS,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
const COMMON = { created: 1_700_000_000, model: 'warm-up', service_tier: 'default', system_fingerprint: 'fp_warm_up' };

const HEADERS = [
  'date: Sat, 01 Jan 2022 00:00:00 GMT',
  'connection: keep-alive',
  'server: warm-up',
  'openai-organization: warm-up',
  'openai-processing-ms: 300',
  'openai-version: 2020-10-01',
  'x-request-id: req_0123456789abcdef0123456789abcdef',
  'x-ratelimit-limit-requests: 10000',
  'x-ratelimit-limit-tokens: 2000000',
  'x-ratelimit-remaining-requests: 9999',
  'x-ratelimit-remaining-tokens: 1999000',
  'x-ratelimit-reset-requests: 6ms',
  'x-ratelimit-reset-tokens: 3ms',
  'strict-transport-security: max-age=31536000; includeSubDomains; preload',
  'x-content-type-options: nosniff',
].join('\r\n');

const BUFFERED = bufferedResponse({
  id: 'chatcmpl-warm-up',
  object: 'chat.completion',
  ...COMMON,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'word '.repeat(TOKENS), refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
});

const STREAM = streamedResponse([
  event([{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: null }]),
  ...Array.from({ length: TOKENS }, (_, index) =>
    event([{ index: 0, delta: { content: `word${index} ` }, logprobs: null, finish_reason: null }]),
  ),
  event([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]),
  { ...event([]), usage: USAGE },
]);

function event(choices: object[]): object {
  return { id: 'chatcmpl-warm-up', object: 'chat.completion.chunk', ...COMMON, choices };
}

function bufferedResponse(body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${HEADERS}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** Each event is a chunk of its own, as providers send them. */
function streamedResponse(events: object[]): string {
  const texts = [...events.map((data) => JSON.stringify(data)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  const chunks = texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${HEADERS}\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
}
