import { unwrapOpaque } from '../../src/canonical/opaque.ts';
import type { OutputPart } from '../../src/canonical/part.ts';
import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import type { CanonicalResponse, Choice, FinishReason, TokenLogprob } from '../../src/canonical/response.ts';
import { collectResponse } from '../../src/canonical/response-collector.ts';
import type { StreamEvent } from '../../src/canonical/stream.ts';
import { inputObject } from '../../src/canonical/tool-call.ts';
import { inputTokensOf } from '../../src/canonical/usage.ts';
import type { StreamDecoder } from '../../src/interface/protocol.ts';
import { parseJson, recordOr } from '../../src/json/record.ts';
import type { SseEvent } from '../../src/sse/event.ts';
import { checkStream } from '../canonical/check-stream.ts';

/** What must survive in every protocol, whatever the order and the number of parts its shape allows. */
export interface Digest {
  readonly text: string;
  readonly refusal: string;
  /** Without white space, which separates summaries. */
  readonly thoughts: string;
  readonly calls: readonly unknown[];
  /** Whose they are, and what. */
  readonly signatures: readonly string[];
  readonly finish: 'over' | 'length' | 'filtered' | 'refused';
  readonly logprobs: readonly unknown[];
}

/**
 * @param home the protocol whose fields the signatures were read from
 */
export function digestOf(choice: Choice, home: ProtocolName): Digest {
  const parts = partsDigest(choice.parts, home);
  return {
    ...parts,
    // Protocols that distinguish refusals derive the finish reason from them.
    finish: parts.refusal === '' ? coarse(choice.finish.reason) : 'refused',
    // Some protocols keep them with the text, and not all have the bytes.
    logprobs: parts.text === '' ? [] : (choice.logprobs ?? []).map(logprobDigest),
  };
}

export function partsDigest(parts: readonly OutputPart[], home: ProtocolName): Omit<Digest, 'finish' | 'logprobs'> {
  const texts = (type: 'text' | 'refusal' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [{ id: part.id, name: part.name, input: inputObject(part.input) }] : [],
  );
  const signatures = parts.flatMap((part) => ('opaque' in part && part.opaque !== undefined ? [part.opaque] : []));
  const opened = signatures.map(({ origin, data }) =>
    origin === home ? unwrapOpaque(unwrapped(data), home) : { origin, data },
  );
  return {
    text: texts('text'),
    refusal: texts('refusal'),
    thoughts: texts('reasoning').replaceAll(/\s/g, ''),
    calls,
    signatures: opened.map(({ origin, data }) => `${origin} ${contentOf(data)}`).sort(),
  };
}

function logprobDigest({ token, logprob, top }: TokenLogprob): unknown {
  return { token, logprob, top: top.map((other) => ({ token: other.token, logprob: other.logprob })) };
}

/** The encrypted value; responses keeps the id of the item with it. */
function contentOf(data: string): string {
  const content = recordOr(parseJson(data))['encrypted_content'];
  return typeof content === 'string' ? content : data;
}

/** A wrapped value in a field of bytes is encoded once more. */
function unwrapped(data: string): string {
  const text = Buffer.from(data, 'base64').toString();
  return text.startsWith('tg1.') ? text : data;
}

/** Protocols without a finish reason use a similar one. */
function coarse(reason: FinishReason): Digest['finish'] {
  switch (reason) {
    case 'length':
    case 'context':
      return 'length';
    case 'content-filter':
    case 'refusal':
      return 'filtered';
    case 'stop':
    case 'tool-calls':
    case 'pause':
    case 'malformed-call':
    case 'other':
      return 'over';
    default:
      return reason satisfies never;
  }
}

/** Decodes a stream that must be complete and valid. */
export function decodeStream(decoder: StreamDecoder, events: readonly SseEvent[]): CanonicalResponse {
  const said: StreamEvent[] = [];
  let isOver = false;
  for (const event of events) {
    if (isOver) break;
    const decoded = decoder.push(event);
    if (decoded.kind === 'malformed') throw new Error(`${decoded.problem}: ${event.raw.toString()}`);
    if (decoded.kind === 'error') throw new Error(decoded.error.message);
    said.push(...decoded.events);
    isOver = decoded.kind === 'end';
  }
  if (!isOver) {
    const decoded = decoder.eof();
    if (decoded.kind !== 'end') throw new Error(`the stream ends as ${decoded.kind}`);
    said.push(...decoded.events);
  }
  checkStream(said);
  return collectResponse(said);
}

/** Tokens as far as all protocols distinguish them. */
export function usageDigest(usage: CanonicalResponse['usage']): object | undefined {
  if (usage === undefined) return undefined;
  const { cache_read: read, output, reasoning } = usage;
  return { prompt: inputTokensOf(usage), read, output: output + reasoning };
}
