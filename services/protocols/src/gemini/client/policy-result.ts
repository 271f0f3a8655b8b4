import type { RequestedOption } from '../../canonical/price-options.ts';
import type { PolicyResult } from '../../interface/protocol.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** The result of all policies for a request. Paths are the client's own. */
export interface GeminiPolicy extends PolicyResult {
  /** Members to replace, with their JSON texts. */
  readonly replaced: ReadonlyMap<string, string>;
  /** The remaining tools; undefined if none is dropped. */
  readonly tools: KeptTools | undefined;
}

export interface KeptTools {
  /** Their JSON text; undefined if none remains. */
  readonly json: string | undefined;
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly options: RequestedOption[];
  readonly warnings: Diagnostic[];
  readonly replaced: Map<string, string>;
  tools: KeptTools | undefined;
}
