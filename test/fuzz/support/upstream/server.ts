import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { PATIENCE_MS, slotOfUpstreamModel, UPSTREAMS } from '../catalogue.ts';
import type { Random } from '../random.ts';
import { answerEmbeddings } from './embeddings.ts';
import { answerCall, type UpstreamCall, type UpstreamResponse } from './response.ts';

/** One call to the upstream. */
export interface Reached {
  protocol: ProtocolName;
  /** The request's trace id, 32 hexadecimal digits. */
  traceId: string;
  /** Whether the call only counts tokens. */
  isCount: boolean;
  response: UpstreamResponse;
  /** Bytes of the body. */
  bodyBytes: number;
  /** The call's output limit; undefined for none. */
  limit: number | undefined;
}

export interface HostileUpstream {
  url: string;
  /** Returns and removes the calls of a slot. */
  take: (slot: number) => Reached[];
  stop: () => Promise<void>;
}

/**
 * An upstream of all kinds with random responses.
 *
 * @param randomOf returns the generator for the next call of the slot's current case
 */
export async function startHostileUpstream(
  randomOf: (slot: number, attempt: number) => Random,
): Promise<HostileUpstream> {
  const calls = new Map<number, Reached[]>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (!response.destroyed) process.stderr.write(`hostile upstream: ${String(error)}\n`);
      response.destroy();
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '');
    const call = readCall(request, path, body);
    const slot = slotOfUpstreamModel(call.model);
    if (slot === undefined) throw new Error(`a call of ${path} for the model ${call.model}`);
    const reached = calls.get(slot) ?? [];
    calls.set(slot, reached);
    const traceId = String(request.headers['traceparent']).split('-')[1] ?? '';
    const random = randomOf(slot, reached.filter((each) => each.traceId === traceId).length);
    const isCount = /count_tokens|input_tokens|:countTokens/.test(path);
    const answer = isCount
      ? answerCount(random, call)
      : /embed/i.test(path)
        ? answerEmbeddings(random, call, path)
        : answerCall(random, call);
    const bodyBytes = Buffer.byteLength(body);
    reached.push({ protocol: call.protocol, traceId, isCount, response: answer, bodyBytes, limit: limitOf(call) });
    await send(response, answer);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take: (slot) => {
      const taken = calls.get(slot) ?? [];
      calls.delete(slot);
      return taken;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(response: ServerResponse, answer: UpstreamResponse): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  if (answer.status === 204) return void response.end();
  for (const piece of answer.pieces) {
    if (response.destroyed) return;
    response.write(piece);
    if (answer.pauseMs > 0) await delay(answer.pauseMs);
  }
  switch (answer.ending) {
    case 'end':
      response.end();
      return;
    case 'reset':
      await delay(5);
      response.socket?.resetAndDestroy();
      return;
    case 'stall':
      await delay(2 * PATIENCE_MS);
      response.destroy();
      return;
    default:
      answer.ending satisfies never;
  }
}

function readCall({ headers }: IncomingMessage, path: string, body: string): UpstreamCall {
  const protocol = UPSTREAMS.find((name) => path.startsWith(`/${name}/`));
  if (protocol === undefined) throw new Error(`a call of ${path}`);
  const credential = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization;
  const parsed = JSON.parse(body) as { model?: string; stream?: boolean };
  const inPath = /\/models\/(.+):\w+$/.exec(path)?.[1];
  return {
    protocol,
    model: inPath ?? String(parsed.model),
    streamed: inPath === undefined ? parsed.stream === true : path.endsWith(':streamGenerateContent'),
    credential: String(credential).replace(/^Bearer /, ''),
    body,
  };
}

/** The output limit in a call's body, for all choices together. */
function limitOf({ body }: UpstreamCall): number | undefined {
  const numbers = [...body.matchAll(/"(?:max_completion_tokens|max_tokens|max_output_tokens|maxOutputTokens)":(\d+)/g)];
  const choices = [...body.matchAll(/"(?:n|candidateCount)":(\d+)/g)].map((match) => Number(match[1]));
  const [limit] = numbers.map((match) => Number(match[1]));
  return limit === undefined ? undefined : limit * Math.max(1, ...choices);
}

function answerCount(random: Random, call: UpstreamCall): UpstreamResponse {
  const count = random.pick<unknown>([17, 17, 17, 0, -1, 1.5, 1e300, '9', null, {}]);
  const status = random.pick([200, 200, 200, 500, 400]);
  const body = {
    input_tokens: count,
    totalTokens: count,
    error: status === 200 ? undefined : { message: call.credential },
  };
  return {
    mode: 'usage',
    status,
    headers: { 'content-type': 'application/json' },
    pieces: [Buffer.from(JSON.stringify(body))],
    pauseMs: 0,
    ending: 'end',
    isWhole: false,
    report: { kind: 'unknown' },
    textBytes: 0,
  };
}
