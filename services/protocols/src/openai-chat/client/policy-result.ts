import type { RequestedOption } from '../../canonical/price-options.ts';
import type { PolicyResult } from '../../interface/protocol.ts';
import type { Edit } from '../../json/splice.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** The result of all policies for a request. */
export interface ChatPolicy extends PolicyResult {
  /** The changes that the warnings announce. */
  readonly edits: readonly Edit[];
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly options: RequestedOption[];
  readonly warnings: Diagnostic[];
  readonly edits: Edit[];
}
