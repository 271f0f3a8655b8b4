import { usageOf } from '../../src/canonical/usage.ts';
import { parseBatchEmbedContents, parseEmbedContent } from '../../src/embeddings/gemini/client-request.ts';
import { parseOpenaiEmbeddings } from '../../src/embeddings/openai/client-request.ts';
import type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsResult } from '../../src/embeddings/shared/protocol.ts';
import type { FinalUsage, ResponseContext } from '../../src/interface/protocol.ts';

/** What a response's way back needs. */
export const CONTEXT: ResponseContext = {
  model: 'client-name',
  created: 1_700_000_000,
  newId: () => 'abcdefghijklmnopqrstuvwx',
  costOf: () => '0.00012',
};

/** A usage as it is charged. */
export function charged(input: number, estimated = false): FinalUsage {
  return { usage: usageOf({ input }), estimated, cost: '0.00012' };
}

function bytesOf(body: object | string): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Parses a body that must be rejected, and returns the message. */
export function errorOf(result: EmbeddingsResult): string {
  if (result.ok) throw new Error('the request was accepted');
  return result.error.message;
}

export const parse = {
  openai: (body: object | string) => parseOpenaiEmbeddings(bytesOf(body)),
  single: (body: object | string, model = 'm') => parseEmbedContent(bytesOf(body), model),
  batch: (body: object | string, model = 'm') => parseBatchEmbedContents(bytesOf(body), model),
};

/** The client's call of a reading that must be right. */
export function accepted(result: EmbeddingsResult): ClientEmbeddings {
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

/** The upstream call of a client's call, which must be possible. */
export function callOf(client: ClientEmbeddings, upstream: EmbeddingsProtocol, model = 'upstream-name') {
  const call = client.upstreamRequest(upstream, model);
  if (!call.ok) throw new Error(call.error.message);
  const text = call.body.toString('utf8');
  const body: unknown = JSON.parse(text);
  return { path: call.path, text, body, warnings: call.warnings.map((warning) => warning.message) };
}

/** The client's response, from a valid one of an upstream. */
export function responseOf(
  client: ClientEmbeddings,
  upstream: EmbeddingsProtocol,
  body: object | string,
  final = charged(5),
) {
  const result = client.responseTransformer(upstream, CONTEXT).transform(bytesOf(body));
  if (result.kind !== 'response') throw new Error(JSON.stringify(result));
  const text = result.render(final).toString('utf8');
  const value: unknown = JSON.parse(text);
  return { usage: result.usage, text, value };
}
