import type { Diagnostic } from '@tollgate/protocols/diagnostic';
import type {
  ClientRequest,
  Dispatch,
  Protocol,
  ResponseContext,
  ResponseTransformer,
  StreamTransformer,
} from '@tollgate/protocols/protocol';
import type { Stages } from '@tollgate/protocols/stages';
import { translationStages } from '@tollgate/protocols/translate/request';
import type { UpstreamError } from '@tollgate/protocols/upstream-error';

/** How one request travels to upstreams of one protocol, and its answer back. */
export interface Way {
  upstream: Protocol;
  /** What the request loses on this way. */
  warnings: readonly string[];
  body(dispatch: Dispatch): Stages<Buffer>;
  whole(context: ResponseContext): ResponseTransformer;
  stream(context: ResponseContext): StreamTransformer;
  /** What an upstream says of a request it refuses, with the field as the client calls it. */
  clientMessage(error: UpstreamError): string;
}

export type WayResult = { kind: 'way'; way: Way } | { kind: 'refused'; refusal: Diagnostic };

/**
 * Finds the way of a request to upstreams of a protocol: its own bytes where the client speaks the same, else a
 * translation, which is refused where it would say something else than the client did. A translation comes in stages.
 *
 * @param dispatch what changes on the way; the upstream's name of the model may become another
 * @param maxOutputTokens the most the model can generate
 */
export function* wayTo(
  client: Protocol,
  request: ClientRequest,
  upstream: Protocol,
  dispatch: Dispatch,
  maxOutputTokens: number,
): Stages<WayResult> {
  if (client.name === upstream.name) return { kind: 'way', way: passage(request, upstream) };
  return yield* translation(request, upstream, dispatch, maxOutputTokens);
}

function passage(request: ClientRequest, upstream: Protocol): Way {
  return {
    upstream,
    warnings: request.passthroughWarnings?.map((note) => note.message) ?? [],
    *body(dispatch) {
      yield;
      return request.editRequest(dispatch);
    },
    whole: (context) => request.responseTransformer(context),
    stream: (context) => request.streamTransformer(context),
    clientMessage: ownWords,
  };
}

function* translation(
  request: ClientRequest,
  upstream: Protocol,
  probable: Dispatch,
  maxOutputTokens: number,
): Stages<WayResult> {
  const { isStream } = request;
  const first = yield* translationStages(request, upstream.upstream, { ...probable, isStream, maxOutputTokens });
  const encode = (dispatch: Dispatch) =>
    translationStages(request, upstream.upstream, { ...dispatch, isStream, maxOutputTokens });
  if (!first.ok) return { kind: 'refused', refusal: first.refusal };
  return {
    kind: 'way',
    way: {
      upstream,
      warnings: first.warnings.map((note) => note.message),
      *body(dispatch) {
        const isSame =
          dispatch.upstreamModel === probable.upstreamModel && dispatch.outputTokens === probable.outputTokens;
        const result = isSame ? first : yield* encode(dispatch);
        if (!result.ok) throw new Error(`what could be said before cannot be said now: ${result.refusal.path}`);
        yield;
        const text = JSON.stringify(result.json);
        yield;
        return Buffer.from(text);
      },
      whole: (context) => first.responseTransformer(context),
      stream: (context) => first.streamTransformer(context),
      clientMessage: (error) => first.clientMessage(error),
    },
  };
}

function ownWords({ message, param }: UpstreamError): string {
  const words = message === '' ? 'The provider of this model refused the request.' : message;
  return param === '' || words.includes(param) ? words : `${param}: ${words}`;
}
