import type { RequestedCacheWrite, RequestedOption } from '../../canonical/price-options.ts';
import type { CacheWriteBucket } from '../../canonical/usage.ts';
import type { PolicyResult } from '../../interface/protocol.ts';
import type { Edit } from '../../json/splice.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** The result of all policies for a request. */
export interface ChatPolicy extends PolicyResult {
  /** The changes that the warnings announce. */
  readonly edits: readonly Edit[];
  /** Why a provider of this protocol cannot be billed for the cache writes of the request. */
  readonly mixedLifetimes?: Diagnostic;
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly options: RequestedOption[];
  readonly cacheWrites: RequestedCacheWrite[];
  readonly warnings: Diagnostic[];
  readonly edits: Edit[];
  cacheLifetime?: CacheWriteBucket;
  mixedLifetimes?: Diagnostic;
}
