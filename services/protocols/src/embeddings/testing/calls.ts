import type { AnswerContext, FinalUsage } from '../../protocol.ts';
import { usageOf } from '../../usage.ts';
import { readBatchEmbedContents, readEmbedContent } from '../gemini/read-request.ts';
import { readOpenaiEmbeddings } from '../openai/read-request.ts';
import type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsReading } from '../protocol.ts';

/** What an answer's way back needs. */
export const CONTEXT: AnswerContext = {
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

/** Reads a body that must be refused, and gives what is said of it. */
export function refusalOf(reading: EmbeddingsReading): string {
  if (reading.ok) throw new Error('the request was accepted');
  return reading.error.message;
}

export const read = {
  openai: (body: object | string) => readOpenaiEmbeddings(bytesOf(body)),
  single: (body: object | string, model = 'm') => readEmbedContent(bytesOf(body), model),
  batch: (body: object | string, model = 'm') => readBatchEmbedContents(bytesOf(body), model),
};

/** The client's call of a reading that must be right. */
export function accepted(reading: EmbeddingsReading): ClientEmbeddings {
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.request;
}

/** The upstream call of a client's call, which must be possible. */
export function callOf(client: ClientEmbeddings, upstream: EmbeddingsProtocol, model = 'upstream-name') {
  const call = client.towards(upstream, model);
  if (!call.ok) throw new Error(call.error.message);
  const text = call.body.toString('utf8');
  const body: unknown = JSON.parse(text);
  return { path: call.path, text, body, warnings: call.warnings.map((warning) => warning.message) };
}

/** What the client gets of an upstream's answer, which must be one. */
export function answerOf(
  client: ClientEmbeddings,
  upstream: EmbeddingsProtocol,
  body: object | string,
  final = charged(5),
) {
  const reading = client.passage(upstream, CONTEXT).read(bytesOf(body));
  if (reading.kind !== 'answer') throw new Error(JSON.stringify(reading));
  const text = reading.render(final).toString('utf8');
  const value: unknown = JSON.parse(text);
  return { usage: reading.usage, text, value };
}
