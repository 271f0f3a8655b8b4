import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '@tollgate/common/http-server';
import { lineAmount } from '@tollgate/common/money';
import { z } from 'zod';
import { jsonIn } from '../api/read-body.ts';

/** Dollars for a million tokens, as nano-dollars. */
export interface TokenPrices {
  inputNanosPerMillion: bigint;
  outputNanosPerMillion: bigint;
}

export interface ScriptedUpstream {
  /** Base URL, with the port that was chosen. */
  url: string;
  /** What everything served has cost, at the prices. */
  servedNanos: () => bigint;
  close: () => Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;
/** A response takes so long, so that many are open at once. */
const RESPONSE_MS = 400;
const CHUNKS = 8;
const DEFAULT_OUTPUT_TOKENS = 256;
const CHARACTERS_PER_TOKEN = 4;
const WORD = 'word ';

const chatRequest = z.object({
  model: z.string(),
  messages: z.array(z.unknown()),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  stream: z.boolean().nullish(),
});
type ChatRequest = z.infer<typeof chatRequest>;

/**
 * A model server that speaks OpenAI's chat completions, generates all of the output that a request allows, and counts what that
 * costs: of a response whose reader has left, what was sent until then.
 *
 * @param address port 0: any
 * @throws what `listen` throws, such as for a port in use
 */
export async function startScriptedUpstream(
  address: { host: string; port: number },
  prices: TokenPrices,
): Promise<ScriptedUpstream> {
  let inputTokens = 0n;
  let outputTokens = 0n;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) {
      return sendJson(response, 404, { error: { message: 'only chat completions are served' } });
    }
    const body = await readBody(request);
    const parsed = body === undefined ? undefined : chatRequest.safeParse(jsonIn(body));
    if (parsed?.success !== true)
      return sendJson(response, 400, { error: { message: 'the body is no chat completion' } });
    const chat = parsed.data;
    const promptTokens = Math.ceil(JSON.stringify(chat.messages).length / CHARACTERS_PER_TOKEN);
    inputTokens += BigInt(promptTokens);
    await generate(response, chat, promptTokens, (tokens) => {
      outputTokens += BigInt(tokens);
    });
  };
  const server = createServer((request, response) => {
    // A reader that has left is part of the challenge.
    respond(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, address.host, address.port);
  return {
    url: `http://${address.host}:${port}/v1`,
    servedNanos: () =>
      lineAmount(inputTokens, prices.inputNanosPerMillion) + lineAmount(outputTokens, prices.outputNanosPerMillion),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Sends a response in parts. @param count is told of the tokens of each part before it is sent */
async function generate(
  response: ServerResponse,
  { model, stream, max_completion_tokens, max_tokens }: ChatRequest,
  promptTokens: number,
  count: (tokens: number) => void,
): Promise<void> {
  const tokens = max_completion_tokens ?? max_tokens ?? DEFAULT_OUTPUT_TOKENS;
  const usage = { prompt_tokens: promptTokens, completion_tokens: tokens, total_tokens: promptTokens + tokens };
  const head = { id: 'chatcmpl-verify', created: 0, model };
  if (stream !== true) {
    await delay(RESPONSE_MS);
    count(tokens);
    const message = { role: 'assistant', content: WORD.repeat(tokens) };
    const choices = [{ index: 0, message, finish_reason: 'length' }];
    return sendJson(response, 200, { ...head, object: 'chat.completion', choices, usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`);
  for (let part = 0; part < CHUNKS && !response.destroyed; part += 1) {
    const size = Math.floor((tokens * (part + 1)) / CHUNKS) - Math.floor((tokens * part) / CHUNKS);
    count(size);
    send({ choices: [{ index: 0, delta: { content: WORD.repeat(size) }, finish_reason: null }] });
    await delay(RESPONSE_MS / CHUNKS);
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @returns undefined for a body that is too large */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
