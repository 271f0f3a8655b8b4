import { geminiUpstream } from '@tollgate/protocols/embeddings/gemini/upstream/index';
import type { EmbeddingsProtocol } from '@tollgate/protocols/embeddings/index';
import { openaiUpstream } from '@tollgate/protocols/embeddings/openai/upstream/index';
import type { DecodedEmbeddings, EmbeddingsUpstream } from '@tollgate/protocols/embeddings/shared/protocol';
import { translateRequest } from '@tollgate/protocols/embeddings/shared/translate';
import { readUpstreamError } from '@tollgate/protocols/interface/errors';
import { type JsonRecord, parseJson, recordOr } from '@tollgate/protocols/json/record';
import { credentialsFor } from '../exchange/credentials/credentials.ts';
import { redactorOf } from '../exchange/credentials/redaction.ts';
import type { ProviderAccess } from '../exchange/upstream/ask.ts';
import { embeddingsProtocolOf } from '../plan/embeddings.ts';
import { checkEmbeddingsUsage, checkError, checkVectors } from './check.ts';
import { callProvider, type ProbeTarget } from './probe.ts';
import { type Failed, failed, inResponse, malformed, notSent, readAnswer, type Timed, timed } from './probe-failure.ts';
import { withoutConversation } from './requests.ts';
import type { TestRecord } from './test-record.ts';

/** Two, because providers differ in how they take several. */
const TEXTS = ['ready', 'The capital of France is Paris.'];

/** Tests a deployment of an embedding model: vectors, usage, and what an invalid request gets. */
export async function testEmbeddings(deps: ProviderAccess, target: ProbeTarget, record: TestRecord): Promise<void> {
  const send = (request: EmbeddingsProbe) =>
    record.send((timeoutMs) => probeEmbeddings(deps, target, request, timeoutMs));
  const embedded = await send({ texts: TEXTS });
  record.add('embeddings', true, embedded, ({ vectors }) => checkVectors(vectors, TEXTS.length));
  if (embedded?.kind !== 'response') {
    for (const name of ['usage', 'error']) record.skip(name, true, 'the first request failed');
    return;
  }
  record.add('usage', true, embedded, ({ usage }) => checkEmbeddingsUsage(usage));
  const refused = await send({ texts: TEXTS, spoil: withoutConversation });
  if (refused === undefined) record.skip('error', true);
  else record.push('error', true, checkError(refused), refused);
}

interface EmbeddingsProbe {
  texts: readonly string[];
  /** Changes the encoded request, to make it invalid. */
  spoil?: (json: JsonRecord) => JsonRecord;
}

/** Vectors and usage; the latter is undefined if none was reported that can be read. */
type EmbeddingsResponse = Extract<DecodedEmbeddings, { kind: 'response' }>;

export type EmbeddingsResult = Timed<EmbeddingsResponse>;

const UPSTREAMS: Readonly<Record<EmbeddingsProtocol, EmbeddingsUpstream>> = {
  'openai-embeddings': openaiUpstream,
  'gemini-embeddings': geminiUpstream,
};

/** Sends one embeddings request as translated ones are sent. */
function probeEmbeddings(
  deps: ProviderAccess,
  target: ProbeTarget,
  request: EmbeddingsProbe,
  timeoutMs: number,
): Promise<EmbeddingsResult> {
  return timed(redactorOf(target.route, credentialsFor(deps, target.route)), () =>
    send(deps, target, request, timeoutMs),
  );
}

async function send(
  deps: ProviderAccess,
  { route }: ProbeTarget,
  { texts, spoil }: EmbeddingsProbe,
  timeoutMs: number,
): Promise<EmbeddingsResponse | Failed> {
  const protocol = embeddingsProtocolOf(route);
  if (protocol === undefined) return notSent('not_expressible', 'the protocol of the provider has no embeddings');
  const upstream = UPSTREAMS[protocol];
  const absent = { dimensions: undefined, taskType: undefined, title: undefined };
  const inputs = texts.map((content, index) => ({ content, at: `input[${index}]`, ...absent }));
  const encoded = translateRequest({ inputs, dropped: [] }, upstream, route.deployment.upstreamModel);
  if (!encoded.ok) return notSent('not_expressible', encoded.error.message);
  const body = spoil === undefined ? encoded.body : spoiled(encoded.body, spoil);
  const reply = await callProvider(deps, route, { path: encoded.path, headers: {}, body, isStream: false }, timeoutMs);
  const answer = readAnswer(reply, readUpstreamError);
  if (answer.kind === 'failed') return answer;
  const decoded = upstream.decodeResponse(answer.body);
  switch (decoded.kind) {
    case 'response':
      return decoded;
    case 'error':
      return failed(inResponse(decoded.error));
    case 'malformed':
      return failed(malformed(decoded.problem));
    default:
      return decoded satisfies never;
  }
}

function spoiled(body: Buffer, spoil: (json: JsonRecord) => JsonRecord): Buffer {
  return Buffer.from(JSON.stringify(spoil(recordOr(parseJson(body.toString('utf8'))))));
}
