import type { Diagnostic } from '../../diagnostic.ts';
import type { Edit } from '../../json/splice.ts';
import type { PolicyResult } from '../../protocol.ts';

/** The result of all policies for a request. */
export interface ChatPolicy extends PolicyResult {
  /** The changes that the warnings announce. */
  readonly edits: readonly Edit[];
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly edits: Edit[];
}
