import type { ParsedRequest } from './parse.ts';
import type { MessagesPolicy, PolicyFindings } from './policy-result.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/**
 * Finds fields that would raise the cost of a call above the list price that its hold is computed from, and fields that
 * reach into the provider account, which all customers share.
 */
export function checkPolicy(parsed: ParsedRequest): MessagesPolicy {
  const findings: PolicyFindings = { errors: [], options: [], warnings: [], edits: [] };
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkToolPolicy(parsed, findings);
  return findings;
}
