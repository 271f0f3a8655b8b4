import { type Wrapped, wrapCustomTools } from '../canonical/custom-tools.ts';
import { EncodeNotes } from '../canonical/encode-notes.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { FieldNote } from '../field-note.ts';
import type { JsonRecord } from '../json/record.ts';
import type {
  AnswerContext,
  AnswerPassage,
  ClientRequest,
  EncodeTarget,
  StreamPassage,
  Upstream,
} from '../protocol.ts';
import { runToEnd, type Stages } from '../stages.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { clientMessage } from './client-message.ts';
import { TranslatedStream } from './stream.ts';
import { translatedWhole } from './whole.ts';

/** A request in the words of another protocol than the client's, and the way back for its answer. */
export interface Translation {
  readonly ok: true;
  readonly json: JsonRecord;
  /** What the upstream's protocol cannot say, where that does not change the meaning. The guard's warnings are not among them. */
  readonly warnings: readonly FieldNote[];
  /** What the upstream said of the request, with the client's names of the fields. */
  clientMessage(error: UpstreamError): string;
  /** As in ClientRequest, for answers of this upstream. */
  passWhole(context: AnswerContext): AnswerPassage;
  passStream(context: AnswerContext): StreamPassage;
}

export type TranslateResult = Translation | { readonly ok: false; readonly refusal: FieldNote };

const NO_CUSTOM_TOOLS: ReadonlySet<string> = new Set();

/** The client's side of a translation. */
export type TranslatedClient = Pick<ClientRequest, 'canonical' | 'encodeWhole' | 'streamEncoder'>;

/** Writes a client's request for an upstream of another protocol. What would change its meaning is refused by name. */
export function translateRequest(client: TranslatedClient, upstream: Upstream, target: EncodeTarget): TranslateResult {
  return runToEnd(translationStages(client, upstream, target));
}

/** The same in stages, since a long conversation takes a while. */
export function* translationStages(
  client: TranslatedClient,
  upstream: Upstream,
  target: EncodeTarget,
): Stages<TranslateResult> {
  const reading = yield* client.canonical();
  if (!reading.ok) return { ok: false, refusal: reading.error };
  yield;
  const notes = new EncodeNotes();
  const { request, customTools } = yield* wrappedFor(upstream, reading.request, notes);
  const json = yield* upstream.encodeRequest(request, target, notes);
  const [refusal] = notes.refusals;
  if (refusal !== undefined) return { ok: false, refusal };
  return {
    ok: true,
    json,
    warnings: [...reading.warnings, ...notes.warnings],
    clientMessage: (error) => clientMessage(error, notes.places()),
    passWhole: (context) => translatedWhole(client, upstream, customTools, context),
    passStream: (context) => new TranslatedStream(client, upstream, customTools, context),
  };
}

function* wrappedFor(upstream: Upstream, request: CanonicalRequest, notes: EncodeNotes): Stages<Wrapped> {
  if (upstream.hasCustomTools) return { request, customTools: NO_CUSTOM_TOOLS };
  return yield* wrapCustomTools(request, notes);
}
