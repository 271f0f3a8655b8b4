import { CustomCallUnwrapper, unwrapCustomCalls, wrapCustomTools } from '../canonical/custom-tools.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { SingleCallFilter, withSingleCall } from '../canonical/single-call.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { renameTools, restoreToolNames, restoreToolNamesIn } from '../canonical/tool-rename.ts';
import type { Upstream } from '../interface/protocol.ts';
import type { Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';

/** What a provider cannot do itself with a request, and what follows from it for the response. */
export interface Adjustments {
  /** Names of custom tools that are sent as functions. */
  readonly customTools: ReadonlySet<string>;
  /** The client's names of tools that are sent under another name. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** Whether the client wants at most one call. */
  readonly singleCall: boolean;
}

export const NO_ADJUSTMENTS: Adjustments = { customTools: new Set(), toolNames: new Map(), singleCall: false };

/** A request that the provider can take. */
export interface Adjusted {
  readonly request: CanonicalRequest;
  readonly adjustments: Adjustments;
}

/** Adjusts a request to what an upstream's tools can do. */
export function* adjustRequest(
  request: CanonicalRequest,
  { hasCustomTools, toolNames: rule }: Pick<Upstream, 'hasCustomTools' | 'toolNames'>,
  diagnostics: Diagnostics,
): Stages<Adjusted> {
  const wrapped = hasCustomTools
    ? { request, customTools: NO_ADJUSTMENTS.customTools }
    : yield* wrapCustomTools(request, diagnostics);
  const renamed = yield* renameTools(wrapped.request, rule, diagnostics);
  // Providers that have the setting do not all keep to it.
  const singleCall = request.parallelToolCalls === false;
  const { customTools } = wrapped;
  return { request: renamed.request, adjustments: { customTools, toolNames: renamed.originals, singleCall } };
}

/** The response as the client's own tools expect it. */
export function adjustResponse(response: CanonicalResponse, adjustments: Adjustments): CanonicalResponse {
  const kept = adjustments.singleCall ? withSingleCall(response) : response;
  return unwrapCustomCalls(restoreToolNames(kept, adjustments.toolNames), adjustments.customTools);
}

/** adjustResponse for a stream. */
export class StreamAdjuster {
  readonly #filter: SingleCallFilter | undefined;
  readonly #toolNames: ReadonlyMap<string, string>;
  readonly #unwrapper: CustomCallUnwrapper;

  constructor({ customTools, toolNames, singleCall }: Adjustments) {
    this.#filter = singleCall ? new SingleCallFilter() : undefined;
    this.#toolNames = toolNames;
    this.#unwrapper = new CustomCallUnwrapper(customTools);
  }

  /** Returns the same array if nothing changes. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const kept = this.#filter === undefined ? events : this.#filter.push(events);
    return this.#unwrapper.push(restoreToolNamesIn(kept, this.#toolNames));
  }
}
