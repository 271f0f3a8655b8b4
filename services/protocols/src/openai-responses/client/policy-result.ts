import type { RequestedCacheWrite, RequestedOption } from '../../canonical/price-options.ts';
import type { PolicyResult } from '../../interface/protocol.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** The result of all policies for a request. */
export interface ResponsesPolicy extends PolicyResult {
  /** Indices in `tools` of the tools to leave out. */
  readonly droppedTools: ReadonlySet<number>;
  /** Indices in `input` of the items to leave out. */
  readonly droppedItems: ReadonlySet<number>;
  /** Indices in `tools` of an item, by the item's index in `input`, of the tools to leave out. */
  readonly droppedItemTools: ReadonlyMap<number, ReadonlySet<number>>;
  /** Names of the top-level fields to leave out. */
  readonly droppedFields: ReadonlySet<string>;
  /** Whether deferred tools are sent like all others, since no search can load them. */
  readonly loadsAll: boolean;
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly options: RequestedOption[];
  readonly cacheWrites: RequestedCacheWrite[];
  readonly warnings: Diagnostic[];
  readonly droppedTools: Set<number>;
  readonly droppedItems: Set<number>;
  readonly droppedItemTools: Map<number, ReadonlySet<number>>;
  readonly droppedFields: Set<string>;
  loadsAll: boolean;
}
