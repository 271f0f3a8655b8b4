import { type HostedUses, NO_HOSTED_USES } from '../../interface/hosted-tools.ts';
import { isSet } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import { checkCachePolicy } from './cache-policy.ts';
import type { ParsedRequest } from './parse.ts';
import type { ChatPolicy, PolicyFindings } from './policy-result.ts';
import { checkPricePolicy } from './price-policy.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';
import { checkWebSearch } from './web-search.ts';

/**
 * Finds fields that would raise the cost of a call above the list price that its hold is computed from, and fields that
 * reach into the provider account, which all customers share.
 *
 * @param hostedUses searches by the provider that are allowed
 */
export function checkPolicy(parsed: ParsedRequest, hostedUses: HostedUses = NO_HOSTED_USES): ChatPolicy {
  const findings: PolicyFindings = { errors: [], options: [], cacheWrites: [], warnings: [], edits: [] };
  checkPricePolicy(parsed, findings);
  checkCachePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkToolPolicy(parsed, findings);
  checkWebSearch(parsed, findings, hostedUses);
  checkStoragePolicy(parsed, findings);
  return findings;
}

/** Keeps customer data out of the provider account. OpenAI accepts `metadata` only with `store: true`. */
function checkStoragePolicy({ request }: ParsedRequest, { warnings, edits }: PolicyFindings): void {
  if (request.store === true) {
    warnings.push(diagnostic('store', 'sent as false, since the provider account is shared'));
    edits.push({ op: 'set', path: ['store'], json: 'false' });
  }
  if (isSet(request.metadata)) {
    warnings.push(diagnostic('metadata', 'left out, since it is kept only with stored completions'));
    edits.push({ op: 'remove', path: ['metadata'] });
  }
}
