import { NO_HOSTED_USES } from '../../interface/hosted-tools.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { GeminiPolicy, PolicyFindings } from './policy-result.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/**
 * Finds fields that would raise the cost of a call above the list price that its hold is computed from, and fields that
 * reach into the provider account, which all customers share.
 *
 * @param hostedUses searches and fetches by the provider that are allowed
 */
export function checkPolicy(parsed: ParsedRequest, hostedUses = NO_HOSTED_USES): GeminiPolicy {
  const findings: PolicyFindings = { errors: [], options: [], warnings: [], replaced: new Map(), tools: undefined };
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkToolPolicy(parsed, findings, hostedUses);
  checkStoragePolicy(parsed, findings);
  return findings;
}

/** Keeps customer data out of the logs of the provider account. */
function checkStoragePolicy({ request, aliases }: ParsedRequest, { warnings, replaced }: PolicyFindings): void {
  if (request.store !== true) return;
  warnings.push(diagnostic(aliases.path('store'), 'sent as false, since the provider account is shared'));
  replaced.set('store', 'false');
}
