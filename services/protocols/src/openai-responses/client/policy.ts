import { NO_HOSTED_USES } from '../../interface/hosted-tools.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import { checkItemPolicy } from './item-policy.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings, ResponsesPolicy } from './policy-result.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/**
 * Finds fields that would raise the cost of a call above the list price that its hold is computed from, and fields that
 * reach into the provider account, which all customers share.
 *
 * @param hostedUses searches by the provider that are allowed
 */
export function checkPolicy(parsed: ParsedRequest, hostedUses = NO_HOSTED_USES): ResponsesPolicy {
  const findings: PolicyFindings = {
    errors: [],
    options: [],
    cacheWrites: [],
    warnings: [],
    droppedTools: new Set(),
    droppedItems: new Set(),
    droppedItemTools: new Map(),
    droppedFields: new Set(),
    loadsAll: false,
  };
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkItemPolicy(parsed, findings, hostedUses);
  checkToolPolicy(parsed, findings, hostedUses);
  checkStoragePolicy(parsed, findings);
  return findings;
}

/** Keeps customer data out of the provider account. An absent `store` means true, so only an explicit one causes a warning. */
function checkStoragePolicy({ request }: ParsedRequest, { warnings }: PolicyFindings): void {
  if (request.store === true) warnings.push(diagnostic('store', 'sent as false, since the provider account is shared'));
}
