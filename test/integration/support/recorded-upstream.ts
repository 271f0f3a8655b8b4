import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, stopListening } from '@tollgate/common/http-server';
import { parse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import type { ProtocolName } from '../../sdk/scenario.ts';
import type { RecordedEndpoint, RecordedError, Recording } from '../providers/recorded.ts';

/** An endpoint of the stand-in and how it must be called. */
export interface PlayedEndpoint {
  recorded: RecordedEndpoint;
  protocol: ProtocolName;
  /** Path of the base URL, which begins with the id of the entry. */
  basePath: string;
  /** Name and value of the header with the credential. */
  credential: readonly [name: string, value: string];
}

/** A server that plays recorded answers. It answers 418 to a call that the provider would not understand. */
export interface RecordedUpstream {
  url: string;
  /** Sets the endpoints. Base paths are known only once the URL is. */
  play: (endpoints: readonly PlayedEndpoint[]) => void;
  /** The protocol that an endpoint speaks. */
  protocolOf: (endpoint: RecordedEndpoint) => ProtocolName | undefined;
  /** The bodies of the requests of a run, in order. */
  requests: (run: string) => readonly unknown[];
  stop: () => Promise<void>;
}

/** Starts one. The prompts contain what to play: see `promptOf`. */
export async function startRecordedUpstream(): Promise<RecordedUpstream> {
  let endpoints: readonly PlayedEndpoint[] = [];
  const received = new Map<string, unknown[]>();
  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(request, response, body))
      .catch((error: unknown) => {
        process.stderr.write(`recorded upstream: ${String(error)}\n`);
        response.destroy();
      });
  });

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const path = request.url ?? '';
    const endpoint = endpoints.find(({ basePath }) => path.startsWith(`${basePath}/`));
    const json = parse(body);
    const fault = endpoint === undefined ? `no endpoint at ${path}` : faultOf(request, endpoint, json);
    if (endpoint === undefined || fault !== undefined) {
      refuse(response, fault);
      return;
    }
    const [, play = '', run = ''] = PROMPT.exec(body) ?? [];
    received.set(run, [...(received.get(run) ?? []), json]);
    const { scenes, errors, brokenStream } = endpoint.recorded;
    const error = errors.find(({ name }) => play === `error ${name}`);
    const scene = scenes.find(({ name }) => name === play);
    const recording = body.includes(resultOf(run)) ? scene?.after : scene?.answer;
    if (error !== undefined) sendError(response, error);
    else if (play === 'broken stream' && brokenStream !== undefined)
      sendStream(response, endpoint.protocol, brokenStream);
    else if (recording === undefined) refuse(response, `nothing is recorded for ${play}`);
    else send(response, endpoint.protocol, recording, isStream(endpoint.protocol, path, json));
  }

  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    play: (played) => {
      endpoints = played;
    },
    protocolOf: (endpoint) => endpoints.find(({ recorded }) => recorded === endpoint)?.protocol,
    requests: (run) => received.get(run) ?? [],
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 0 }),
  };
}

const PROMPT = /Play \(([\w -]+)\) in run ([\w-]+)\./;

/** The prompt that plays a scene, `error <name>` or `broken stream`, and names the run. */
export function promptOf(play: string, run: string): string {
  return `Play (${play}) in run ${run}.`;
}

/** The result of the tool in a run. */
export function resultOf(run: string): string {
  return `Sun in run ${run}.`;
}

/** What is wrong with a call, by the provider's documentation. */
function faultOf(request: IncomingMessage, endpoint: PlayedEndpoint, json: unknown): string | undefined {
  const { basePath, protocol, credential } = endpoint;
  const [name, value] = credential;
  const path = (request.url ?? '').slice(basePath.length);
  if (request.method !== 'POST') return `the method is ${request.method}`;
  if (!PATHS[protocol].test(path)) return `the path is ${path}`;
  if (name !== '' && request.headers[name] !== value) return `${name} is wrong`;
  const others = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'].filter((other) => other !== name);
  const extra = others.find((other) => request.headers[other] !== undefined);
  if (extra !== undefined) return `${extra} is not expected`;
  if (request.headers['content-type'] !== 'application/json') return 'the body is not declared as JSON';
  if (typeof json !== 'object' || json === null) return 'the body is not JSON';
  return endpoint.recorded.rejects?.(json);
}

const PATHS: Readonly<Record<ProtocolName, RegExp>> = {
  'openai-chat': /^\/chat\/completions$/,
  'openai-responses': /^\/responses$/,
  'anthropic-messages': /^\/messages(\?beta=true)?$/,
  gemini: /^\/models\/[\w.-]+:(generateContent|streamGenerateContent\?alt=sse)$/,
};

function isStream(protocol: ProtocolName, path: string, json: unknown): boolean {
  return protocol === 'gemini' ? path.includes(':stream') : at(json, 'stream') === true;
}

function refuse(response: ServerResponse, fault = ''): void {
  response.writeHead(418, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: fault } }));
  // The gateway does not pass this on, and the test that called fails without a reason.
  process.stderr.write(`recorded upstream: ${fault}\n`);
}

function sendError(response: ServerResponse, { status, headers, body }: RecordedError): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

function send(response: ServerResponse, protocol: ProtocolName, recording: Recording, streamed: boolean): void {
  if (streamed) sendStream(response, protocol, recording.stream);
  else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(recording.whole));
  }
}

function sendStream(response: ServerResponse, protocol: ProtocolName, events: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) response.write(eventText(protocol, event));
  response.end();
}

function eventText(protocol: ProtocolName, event: unknown): string {
  if (typeof event === 'string') return event.startsWith(':') ? `${event}\n\n` : `data: ${event}\n\n`;
  const isNamed = protocol === 'anthropic-messages' || protocol === 'openai-responses';
  const name = isNamed ? `event: ${String(at(event, 'type'))}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
