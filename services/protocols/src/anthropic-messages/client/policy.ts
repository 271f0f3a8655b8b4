import type { Diagnostic } from '../../diagnostic.ts';
import type { Edit } from '../../json/splice.ts';
import { checkForeignSignatures } from './foreign-signature-policy.ts';
import type { ParsedRequest } from './parse.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/** What the shared provider account and the price list make of a request. */
export interface MessagesGuard {
  /** Fields for which the request is refused; the first one is the one to tell. */
  readonly errors: readonly Diagnostic[];
  /** What is changed or left out without changing the answer's meaning. */
  readonly warnings: readonly Diagnostic[];
}

/** The same with the changes that make the request fit for an upstream of this protocol. */
export interface MessagesPolicy extends MessagesGuard {
  readonly edits: readonly Edit[];
}

export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly edits: Edit[];
}

/**
 * Looks for fields that would make a call dearer than the list price the hold is computed from, and for those that reach
 * into the provider's account, which all customers share.
 */
export function checkPolicy(parsed: ParsedRequest): MessagesPolicy {
  const findings: PolicyFindings = { errors: [], warnings: [], edits: [] };
  checkPricePolicy(parsed.request, findings);
  checkReferencePolicy(parsed.request, findings);
  checkToolPolicy(parsed, findings);
  return findings;
}

/** What must change only on the way to a provider of this protocol, which would refuse the request as it is. */
export function checkPassthroughPolicy(parsed: ParsedRequest): Pick<MessagesPolicy, 'warnings' | 'edits'> {
  const findings: PolicyFindings = { errors: [], warnings: [], edits: [] };
  checkForeignSignatures(parsed, findings);
  return findings;
}
