import { NO_HOSTED_USES } from '../../interface/hosted-tools.ts';
import type { ParsedRequest } from './parse.ts';
import type { MessagesPolicy, PolicyFindings } from './policy-result.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/**
 * Finds fields that would raise the cost of a call above the list price that its hold is computed from, and fields that
 * reach into the provider account, which all customers share.
 *
 * @param hostedUses searches and fetches by the provider that are allowed
 */
export function checkPolicy(parsed: ParsedRequest, hostedUses = NO_HOSTED_USES): MessagesPolicy {
  const findings: PolicyFindings = { errors: [], options: [], warnings: [], edits: [] };
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkToolPolicy(parsed, findings, hostedUses);
  return findings;
}
