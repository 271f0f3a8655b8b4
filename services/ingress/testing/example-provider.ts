import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, stopListening } from '@tollgate/common/http-server';

/** The credential that it accepts. */
export const EXAMPLE_KEY = 'a-secret-of-the-provider';

const EMBEDDINGS = '/v1/embeddings';
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const USAGE_WITH_FINDINGS = { prompt_tokens: 14_100, completion_tokens: 10, total_tokens: 14_110 };

interface Body {
  input?: string[];
  messages?: { role: string }[];
  tools?: object[];
  stream?: boolean;
  max_completion_tokens?: number;
  max_tokens?: number;
}

/** How it differs from a good provider. */
export interface Faults {
  /** Responds to every request. */
  status?: number;
  message?: string;
  noUsage?: boolean;
  noStream?: boolean;
  noTools?: boolean;
  /** Knows only the older name of the output limit. */
  old?: boolean;
  acceptsAnything?: boolean;
  /** Reports what its own searches found as input. */
  searches?: boolean;
  html?: boolean;
  /** One vector, however many texts. */
  oneVector?: boolean;
  /** Of each further text, one number more. */
  unequalVectors?: boolean;
}

/** Requests that get no answer until they are released. */
export interface HeldAnswers {
  readonly waiting: number;
  release: () => void;
}

/** A provider of chat completions and embeddings that no dialect describes. */
export interface ExampleProvider {
  origin: string;
  faults: Faults;
  /** Answers no further request before `release`; the first `after` ones still. */
  hold: (after?: number) => HeldAnswers;
  stop: () => Promise<void>;
}

/** Starts one in this process. */
export async function startExampleProvider(): Promise<ExampleProvider> {
  const held = Promise.withResolvers<void>();
  let freePasses = Number.POSITIVE_INFINITY;
  let waiting = 0;
  const server = createServer((request, response) => {
    const answerNow = (body: string) => answer(provider.faults, request, response, JSON.parse(body));
    text(request).then(
      (body) => {
        freePasses -= 1;
        if (freePasses >= 0) return answerNow(body);
        waiting += 1;
        return held.promise.then(() => answerNow(body));
      },
      () => response.destroy(),
    );
  });
  const origin = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  const provider: ExampleProvider = {
    origin,
    faults: {},
    hold: (after = 0) => {
      freePasses = after;
      return {
        get waiting() {
          return waiting;
        },
        release: () => {
          freePasses = Number.POSITIVE_INFINITY;
          held.resolve();
        },
      };
    },
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 0 }),
  };
  return provider;
}

function answer(faults: Faults, request: IncomingMessage, response: ServerResponse, body: Body): void {
  const refused = refusalOf(faults, request, body);
  const called = body.tools !== undefined && lastRole(body) === 'user';
  const call = { id: 'call_1', type: 'function', function: { name: 'report_status', arguments: '{"status":"ready"}' } };
  const message = called ? { content: null, tool_calls: [call] } : { content: 'ready' };
  if (faults.html) response.end('<html>Welcome</html>');
  else if (refused !== undefined) json(response, { error: { message: refused[1] } }, refused[0]);
  else if (request.url === EMBEDDINGS) json(response, vectors(faults, body));
  else if (body.stream && !faults.noStream) stream(faults, response, message);
  else json(response, whole(faults, message));
}

function lastRole({ messages }: Body): string | undefined {
  return Array.isArray(messages) ? messages.at(-1)?.role : undefined;
}

/** Status and message; undefined for a request that it answers. */
function refusalOf(faults: Faults, { url, headers }: IncomingMessage, body: Body): [number, string] | undefined {
  if (faults.status !== undefined) return [faults.status, faults.message ?? ''];
  if (url !== '/v1/chat/completions' && url !== EMBEDDINGS) return [404, 'Not Found'];
  if (headers.authorization !== `Bearer ${EXAMPLE_KEY}`) return [401, `Incorrect API key: ${headers.authorization}`];
  if (faults.old && body.max_completion_tokens !== undefined) return [400, 'Unknown field: max_completion_tokens'];
  if (url === EMBEDDINGS) {
    return Array.isArray(body.input) || faults.acceptsAnything ? undefined : [400, 'input must be texts'];
  }
  if (!Array.isArray(body.messages) && !faults.acceptsAnything) return [400, 'messages must be an array'];
  if (faults.noTools && body.tools !== undefined) return [400, 'This model does not support tools.'];
  return undefined;
}

function vectors(faults: Faults, { input }: Body): object {
  const texts = Array.isArray(input) ? input : [''];
  const data = texts.slice(0, faults.oneVector ? 1 : undefined).map((_, index) => ({
    object: 'embedding',
    index,
    embedding: [0.25, 0.5, ...(faults.unequalVectors && index > 0 ? [0.75] : [])],
  }));
  const usage = { prompt_tokens: 7, total_tokens: 7 };
  return { object: 'list', model: 'm', data, ...(faults.noUsage ? {} : { usage }) };
}

function whole(faults: Faults, message: object): object {
  const finish = 'tool_calls' in message ? 'tool_calls' : 'stop';
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
  return {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices,
    ...(faults.noUsage ? {} : { usage: usageOf(faults) }),
  };
}

function stream(faults: Faults, response: ServerResponse, message: { tool_calls?: object[] }): void {
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const calls = message.tool_calls?.map((call) => ({ index: 0, ...call }));
  const delta = { role: 'assistant', ...message, ...(calls !== undefined && { tool_calls: calls }) };
  const finish = calls === undefined ? 'stop' : 'tool_calls';
  const chunks = [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    ...(faults.noUsage ? [] : [{ ...head, choices: [], usage: usageOf(faults) }]),
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function usageOf({ searches }: Faults) {
  return searches ? USAGE_WITH_FINDINGS : USAGE;
}
