import { createServer, type Socket } from 'node:net';
import { listen } from '@tollgate/common/http-server';
import { MessageReader } from './message-reader.ts';

export interface StandInProvider {
  baseUrl: string;
  stop: () => void;
}

/** Starts a provider of chat completions on a loopback port. Its buffered response is always the same, and so is its stream. */
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
const USAGE = { prompt_tokens: 20, completion_tokens: TOKENS, total_tokens: 20 + TOKENS };
const COMMON = { id: 'chatcmpl-warm-up', created: 1_700_000_000, model: 'warm-up' };

const BUFFERED = bufferedResponse({
  ...COMMON,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(TOKENS) }, finish_reason: 'stop' }],
  usage: USAGE,
});

const STREAM = streamedResponse([
  ...Array.from({ length: TOKENS }, (_, index) => event([{ index: 0, delta: { content: `word${index} ` } }])),
  event([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  { ...event([]), usage: USAGE },
]);

function event(choices: object[]): object {
  return { ...COMMON, object: 'chat.completion.chunk', choices };
}

function bufferedResponse(body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** Each event is a chunk of its own, as providers send them. */
function streamedResponse(events: object[]): string {
  const texts = [...events.map((data) => JSON.stringify(data)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  const chunks = texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
}
