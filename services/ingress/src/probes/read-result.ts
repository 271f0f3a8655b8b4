import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import { ResponseCollector } from '@tollgate/protocols/canonical/response-collector';
import { type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { Protocol, ResponseContext, StreamStep, StreamTransformer } from '@tollgate/protocols/interface/protocol';
import { SseParser } from '@tollgate/protocols/sse/parse';
import type { TranslatedClient, Translation } from '@tollgate/protocols/translate/request';
import type { CollectedResponse } from '../upstream/collect.ts';
import { toFailure } from '../upstream/error-response.ts';
import { failureInResponse, statusOf, type UpstreamFailure } from '../upstream/failure.ts';

/** Why a request has no usable response. */
export interface ProbeFailure {
  kind: UpstreamFailure['kind'] | 'not_expressible' | 'not_a_stream';
  /** 0: no response. */
  status: number;
  /** The provider's message, or what happened. */
  message: string;
}

export type ReadResult =
  /** `usage` is undefined if none was reported that can be read. */
  { kind: 'response'; usage: Usage | undefined } | { kind: 'failed'; failure: ProbeFailure };

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
  collected: CollectedResponse,
  protocol: Protocol,
  translation: Translation,
  context: ResponseContext,
  isStream: boolean,
  maxEventBytes: number,
): ReadResult {
  if (collected.kind === 'failed') return failed(ofUpstream(collected.failure));
  const { status, headers, body } = collected;
  if (status !== 200) {
    const error = protocol.upstream.readError(body);
    const reader = { read: () => error, clientMessage: () => '' };
    const { kind } = toFailure(status, headers, body, reader, 0);
    return failed({ kind, status, message: textOf(error) });
  }
  if (!isStream) return readWhole(body, translation, context);
  const type = headers['content-type'];
  if (typeof type !== 'string' || !type.startsWith('text/event-stream')) {
    return failed({ kind: 'not_a_stream', status, message: 'the response to a streaming call is not an event stream' });
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

function failed(failure: ProbeFailure): ReadResult {
  return { kind: 'failed', failure };
}

function malformed(message: string): ProbeFailure {
  return { kind: 'malformed', status: 200, message };
}

/** An error with a success status. */
function inResponse(error: UpstreamError): ProbeFailure {
  return { kind: failureInResponse(error).kind, status: 200, message: textOf(error) };
}

function ofUpstream(failure: UpstreamFailure): ProbeFailure {
  return {
    kind: failure.kind,
    status: statusOf(failure),
    message: 'detail' in failure ? failure.detail : failure.message,
  };
}

/** The provider's message with the field at fault. It answers a test, so it repeats nobody's prompt. */
function textOf({ message, param, type, code }: UpstreamError): string {
  const text = message === '' ? [type, code].filter((name) => name !== '').join(' ') : message;
  return param === '' || text.includes(param) ? text : `${param}: ${text}`;
}
