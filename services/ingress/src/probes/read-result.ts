import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import { ResponseCollector } from '@tollgate/protocols/canonical/response-collector';
import { type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import type { Protocol, ResponseContext, StreamStep, StreamTransformer } from '@tollgate/protocols/interface/protocol';
import { SseParser } from '@tollgate/protocols/sse/parse';
import type { TranslatedClient, Translation } from '@tollgate/protocols/translate/request';
import type { Reply } from '../exchange/upstream/ask.ts';
import { type Failed, failed, inResponse, malformed, readAnswer } from './probe-failure.ts';

export type ReadResult =
  /** `usage` is undefined if none was reported that can be read. */
  { kind: 'response'; usage: Usage | undefined } | Failed;

/** The client of a translated request, which keeps the response in the canonical form. */
export class CapturingClient implements TranslatedClient {
  /** Probes choose nothing at another price. */
  readonly policy = { options: [] };
  readonly #request: CanonicalRequest;
  readonly #collector = new ResponseCollector();
  #whole: CanonicalResponse | undefined;

  constructor(request: CanonicalRequest) {
    this.#request = request;
  }

  /** What there is of the response. */
  get response(): CanonicalResponse {
    return this.#whole ?? this.#collector.response();
  }

  // biome-ignore lint/correctness/useYield: the request is in the canonical form already
  *canonical(): ReturnType<TranslatedClient['canonical']> {
    return { ok: true, request: this.#request, warnings: [] };
  }

  encodeResponse(response: CanonicalResponse): Buffer {
    this.#whole = response;
    return NO_BYTES;
  }

  streamEncoder(): ReturnType<TranslatedClient['streamEncoder']> {
    return {
      push: (events) => {
        for (const event of events) this.#collector.push(event);
        return undefined;
      },
      close: () => NO_BYTES,
    };
  }
}

const NO_BYTES = Buffer.alloc(0);

/** Reads a response as those of translated requests are read. The client of the translation then has it. */
export function readResult(
  reply: Reply,
  protocol: Protocol,
  translation: Translation,
  context: ResponseContext,
  isStream: boolean,
  maxEventBytes: number,
): ReadResult {
  const answer = readAnswer(reply, (errorBody) => protocol.upstream.readError(errorBody));
  if (answer.kind === 'failed') return answer;
  const { headers, body } = answer;
  if (!isStream) return readWhole(body, translation, context);
  const type = headers['content-type'];
  if (typeof type !== 'string' || !type.startsWith('text/event-stream')) {
    return failed({
      kind: 'not_a_stream',
      status: 200,
      message: 'the response to a streaming call is not an event stream',
    });
  }
  return readStream(body, translation.streamTransformer(context), maxEventBytes);
}

function readWhole(body: Buffer, translation: Translation, context: ResponseContext): ReadResult {
  const result = translation.responseTransformer(context).transform(body);
  switch (result.kind) {
    case 'response':
      result.render({ usage: usageOf({}), estimated: true, cost: '0' });
      return { kind: 'response', usage: result.usage };
    case 'error':
      return failed(inResponse(result.error));
    case 'malformed':
      return failed(malformed(result.problem));
    default:
      return result satisfies never;
  }
}

function readStream(body: Buffer, transformer: StreamTransformer, maxEventBytes: number): ReadResult {
  const parser = new SseParser({ maxEventBytes });
  const { events } = parser.push(body);
  const rest = parser.end();
  let usage: Usage | undefined;
  const take = (step: StreamStep): ReadResult | undefined => {
    switch (step.kind) {
      case 'silent':
      case 'opening':
        return undefined;
      case 'content':
        usage = step.usage ?? usage;
        return undefined;
      case 'end':
        return { kind: 'response', usage: step.usage ?? usage };
      case 'error':
        return failed(inResponse(step.error));
      case 'malformed':
        return failed(malformed(step.problem));
      default:
        return step satisfies never;
    }
  };
  for (const event of rest === undefined ? events : [...events, rest]) {
    const end = take(transformer.push(event));
    if (end !== undefined) return end;
  }
  return take(transformer.eof()) ?? failed(malformed('the stream ended before the response was complete'));
}
