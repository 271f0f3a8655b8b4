import { withRequestToContinue } from '../canonical/continued-turn.ts';
import { CustomCallUnwrapper, unwrapCustomCalls, wrapCustomTools } from '../canonical/custom-tools.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { SingleCallFilter, withSingleCall } from '../canonical/single-call.ts';
import { type KeptStops, StopFilter, withStops } from '../canonical/stop-words.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { renameTools, restoreToolNames, restoreToolNamesIn } from '../canonical/tool-rename.ts';
import type { ModelParameters } from '../interface/parameters.ts';
import type { Upstream } from '../interface/protocol.ts';
import type { Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import { divideStops, KEPT_STOPS } from '../request/divide-stops.ts';

/** What a provider cannot do itself with a request, and what follows from it for the response. */
export interface Adjustments {
  /** Names of custom tools that are sent as functions. */
  readonly customTools: ReadonlySet<string>;
  /** The client's names of tools that are sent under another name. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** Whether the client wants at most one call. */
  readonly singleCall: boolean;
  /** The stop words that the provider does not take. */
  readonly stops?: KeptStops | undefined;
}

export const NO_ADJUSTMENTS: Adjustments = { customTools: new Set(), toolNames: new Map(), singleCall: false };

/** What decides how a request is adjusted. */
type AdjustingUpstream = Pick<Upstream, 'hasCustomTools' | 'toolNames' | 'maxStops' | 'defaultParameters'>;

/** A request that the provider can take. */
export interface Adjusted {
  readonly request: CanonicalRequest;
  readonly adjustments: Adjustments;
}

/**
 * Adjusts a request to what an upstream can do.
 *
 * @param parameters what the deployment's model accepts
 */
export function* adjustRequest(
  request: CanonicalRequest,
  { hasCustomTools, toolNames: rule, maxStops, defaultParameters }: AdjustingUpstream,
  parameters: ModelParameters | undefined,
  diagnostics: Diagnostics,
): Stages<Adjusted> {
  const wrapped = hasCustomTools
    ? { request, customTools: NO_ADJUSTMENTS.customTools }
    : yield* wrapCustomTools(request, diagnostics);
  const renamed = yield* renameTools(wrapped.request, rule, diagnostics);
  // Providers that have the setting do not all keep to it.
  const singleCall = request.parallelToolCalls === false;
  const { customTools } = wrapped;
  const accepted = { ...defaultParameters, ...parameters };
  const divided = withoutKeptStops(renamed.request, maxStops, accepted, diagnostics);
  const { messages } = divided.request;
  const continued = accepted.prefill === false ? withRequestToContinue(messages, diagnostics) : messages;
  const adjustments = { customTools, toolNames: renamed.originals, singleCall, stops: divided.stops };
  return { request: { ...divided.request, messages: continued }, adjustments };
}

/** Leaves out the stop words that the gateway keeps to. */
function withoutKeptStops(
  request: CanonicalRequest,
  maxStops: number,
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): { readonly request: CanonicalRequest; readonly stops?: KeptStops } {
  const { stop, ...others } = request;
  if (stop === undefined) return { request };
  const { names, choices = 1 } = request;
  const { sent, kept, problem } = divideStops(stop, maxStops, parameters);
  if (problem !== undefined) diagnostics.reject(names.stop, problem);
  else if (kept.length > 0) diagnostics.warn(names.stop, KEPT_STOPS);
  return {
    request: sent.length === 0 ? others : { ...others, stop: sent },
    ...(kept.length > 0 && { stops: { words: kept, choices } }),
  };
}

/** The response as the client's own tools expect it. */
export function adjustResponse(response: CanonicalResponse, adjustments: Adjustments): CanonicalResponse {
  const stopped = adjustments.stops === undefined ? response : withStops(response, adjustments.stops);
  const kept = adjustments.singleCall ? withSingleCall(stopped) : stopped;
  return unwrapCustomCalls(restoreToolNames(kept, adjustments.toolNames), adjustments.customTools);
}

/** adjustResponse for a stream. */
export class StreamAdjuster {
  readonly #stops: StopFilter | undefined;
  readonly #filter: SingleCallFilter | undefined;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #unwrapper: CustomCallUnwrapper;

  constructor({ customTools, toolNames, singleCall, stops }: Adjustments) {
    this.#stops = stops === undefined ? undefined : new StopFilter(stops);
    this.#filter = singleCall ? new SingleCallFilter() : undefined;
    this.#toolNames = toolNames;
    this.#unwrapper = new CustomCallUnwrapper(customTools);
  }

  /** Whether the client's response has ended at a stop word. */
  get isStopped(): boolean {
    return this.#stops?.isStopped === true;
  }

  /** Returns the same array if nothing changes. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const stopped = this.#stops === undefined ? events : this.#stops.push(events);
    const kept = this.#filter === undefined ? stopped : this.#filter.push(stopped);
    return this.#unwrapper.push(restoreToolNamesIn(kept, this.#toolNames));
  }
}
