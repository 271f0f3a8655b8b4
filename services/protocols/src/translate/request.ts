import type { RequestedOption } from '../canonical/price-options.ts';
import type { UsageDetails } from '../canonical/usage-report.ts';
import type { UpstreamError } from '../interface/errors.ts';
import type {
  ClientRequest,
  EncodeTarget,
  ResponseContext,
  ResponseTransformer,
  StreamTransformer,
  Upstream,
} from '../interface/protocol.ts';
import type { JsonRecord } from '../json/record.ts';
import { runToEnd, type Stages } from '../lists/stages.ts';
import type { Diagnostic } from '../request/diagnostics.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { adjustRequest } from './adjustments.ts';
import { clientMessage } from './client-message.ts';
import { translatingResponseTransformer } from './response.ts';
import { TranslatingStreamTransformer } from './stream.ts';

/** A request in another protocol than the client's, with the transformers for its response. */
export interface Translation {
  readonly ok: true;
  readonly json: JsonRecord;
  /** The options that apply to it; the others are left out. */
  readonly options: readonly RequestedOption[];
  /** What the upstream's protocol cannot express without changing the meaning of the response. The policies' warnings are not among them. */
  readonly warnings: readonly Diagnostic[];
  /** The upstream's error message with the client's names of the fields. */
  clientMessage(error: UpstreamError): string;
  /** As in ClientRequest, for responses of this upstream. */
  responseTransformer(context: ResponseContext): ResponseTransformer;
  streamTransformer(context: ResponseContext): StreamTransformer;
}

export type TranslateResult = Translation | { readonly ok: false; readonly error: Diagnostic };

/** The client's side of a translation. */
export type TranslatedClient = Pick<ClientRequest, 'canonical' | 'encodeResponse' | 'streamEncoder'> & {
  readonly policy: Pick<ClientRequest['policy'], 'options'>;
};

/** Encodes a client's request for an upstream of another protocol. It is rejected if that would change its meaning. */
export function translateRequest(client: TranslatedClient, upstream: Upstream, target: EncodeTarget): TranslateResult {
  return runToEnd(translationStages(client, upstream, target));
}

/** The same in stages, since a long conversation takes time. */
export function* translationStages(
  client: TranslatedClient,
  upstream: Upstream,
  target: EncodeTarget,
): Stages<TranslateResult> {
  const result = yield* client.canonical();
  if (!result.ok) return { ok: false, error: result.error };
  yield;
  const diagnostics = new Diagnostics();
  const { request, adjustments } = yield* adjustRequest(result.request, upstream, target.parameters, diagnostics);
  const encoded = yield* upstream.encodeRequest(request, target, diagnostics);
  const { json, options } = withOptions(encoded, client.policy.options, upstream, diagnostics);
  const sent = sentDetails(options);
  const [error] = diagnostics.errors;
  if (error !== undefined) return { ok: false, error };
  return {
    ok: true,
    json,
    options,
    warnings: [...result.warnings, ...diagnostics.warnings],
    clientMessage: (error) => clientMessage(error, diagnostics.places()),
    responseTransformer: (context) => translatingResponseTransformer(client, upstream, adjustments, context, sent),
    streamTransformer: (context) => new TranslatingStreamTransformer(client, upstream, adjustments, context, sent),
  };
}

/** What a response reports if the upstream processes the request as asked. */
function sentDetails(options: readonly RequestedOption[]): UsageDetails | undefined {
  const tier = options.find(({ name, isOpen }) => name === 'service_tier' && !isOpen);
  return tier === undefined ? undefined : { serviceTier: tier.value };
}

/** Adds the options that the upstream's protocol has. The others are left out, and what is sent costs the list price. */
function withOptions(
  encoded: JsonRecord,
  requested: readonly RequestedOption[],
  upstream: Upstream,
  diagnostics: Diagnostics,
): { json: JsonRecord; options: readonly RequestedOption[] } {
  if (requested.length === 0) return { json: encoded, options: requested };
  const json: Record<string, unknown> = { ...encoded };
  const options: RequestedOption[] = [];
  for (const option of requested) {
    const field = option.isOpen ? undefined : upstream.optionField(option.name, option.value);
    // To leave the choice to the provider is what the absent field means.
    if (field !== undefined || option.isOpen) options.push(option);
    else diagnostics.warn(option.path, "left out at list price, since this model's provider does not have it");
    if (field === undefined) continue;
    json[field] = option.value;
    diagnostics.placed(field, option.path);
  }
  return { json, options };
}
