import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { FailFirst } from './controls/fail-first.ts';
import { geminiEmbeddings, openaiEmbeddings } from './embeddings/index.ts';
import { Exchange } from './exchange.ts';
import { gemini } from './gemini/index.ts';
import { inspect } from './inspect.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import type { Endpoint, KeyHeader, Protocol } from './protocol.ts';
import { readBody } from './read-body.ts';
import { Recorder } from './recorder.ts';

const PROTOCOLS: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  openaiEmbeddings,
  geminiEmbeddings,
];

export interface SimulatorOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Demanded in the header of the protocol called; undefined accepts any key and none. */
  apiKey?: string | undefined;
  /** Told of faults of the simulator itself. */
  onError: (error: unknown) => void;
}

export interface Simulator {
  /** The port that was bound. */
  port: number;
  /** Origin, such as `http://127.0.0.1:8090`, without a trailing slash. */
  url: string;
  recorder: Recorder;
  /** Serves on for `lingerMs`, takes no new calls then, lets those that run end within `graceMs`, and cuts them. */
  stop: (graceMs: number, lingerMs?: number) => Promise<void>;
}

/** Starts the simulated provider. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const recorder = new Recorder();
  const failFirst = new FailFirst();
  const keyDigests = options.apiKey === undefined ? undefined : digestsOf(options.apiKey);
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    answer({ request, response, recorder, failFirst, keyDigests }).catch((error: unknown) => {
      if (!response.destroyed) options.onError(error);
      response.destroy();
    });
  });
  const port = await listen(server, options.host, options.port);
  const host = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  const stop: Simulator['stop'] = (graceMs, lingerMs = 0) => stopListening(server, { lingerMs, graceMs });
  return { port, url: `http://${host}:${port}`, recorder, stop };
}

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  recorder: Recorder;
  failFirst: FailFirst;
  /** How the recorder shows the right key, by header. */
  keyDigests: Record<KeyHeader, string> | undefined;
}

async function answer(call: Call): Promise<void> {
  const { request, response, recorder, failFirst } = call;
  const method = request.method ?? '';
  const target = request.url ?? '/';
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const found = findEndpoint(method, path);
  if (found === undefined) {
    request.resume();
    const own = inspect(recorder, method, path, query < 0 ? '' : target.slice(query + 1));
    response.writeHead(own?.status ?? 404, own?.headers ?? { 'content-type': 'application/json' });
    response.end(
      own?.body ?? '{"error":{"message":"Invalid URL","type":"invalid_request_error","param":null,"code":null}}',
    );
    return;
  }
  const record = recorder.begin(found.protocol.name, request);
  response.on('close', () => recorder.end(record, response.writableFinished ? 'finished' : 'aborted'));
  const body = await readBody(request).catch(() => null);
  if (body === null) {
    response.destroy();
    return;
  }
  const exchange = new Exchange({
    request,
    response,
    path,
    body: body ?? Buffer.alloc(0),
    record,
    recorder,
    failFirst,
  });
  const { keyDigests } = call;
  const { protocol } = found;
  if (keyDigests !== undefined && !protocol.keyHeaders.some((name) => record.headers[name] === keyDigests[name])) {
    return exchange.send(found.protocol.renderFailure(401, undefined));
  }
  if (body === undefined) return exchange.send(found.protocol.renderFailure(413, undefined));
  await found.endpoint(exchange);
}

function digestsOf(key: string): Record<KeyHeader, string> {
  const plain = `sha256:${hash('sha256', key)}`;
  return { authorization: `sha256:${hash('sha256', `Bearer ${key}`)}`, 'x-api-key': plain, 'x-goog-api-key': plain };
}

function findEndpoint(method: string, path: string): { protocol: Protocol; endpoint: Endpoint } | undefined {
  for (const protocol of PROTOCOLS) {
    const endpoint = protocol.find(method, path);
    if (endpoint !== undefined) return { protocol, endpoint };
  }
  return undefined;
}
