import type { PolicyResult } from '../../interface/protocol.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';

/** The result of all policies for a request. Paths are the client's own. */
export interface GeminiPolicy extends PolicyResult {
  /** Members to replace, each with its JSON text. */
  readonly replaced: ReadonlyMap<string, string>;
  /** The tools that are left; undefined when all of them stay. */
  readonly tools: KeptTools | undefined;
}

export interface KeptTools {
  /** Their JSON text; undefined when none is left. */
  readonly json: string | undefined;
}

/** What each policy adds to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly replaced: Map<string, string>;
  tools: KeptTools | undefined;
}
