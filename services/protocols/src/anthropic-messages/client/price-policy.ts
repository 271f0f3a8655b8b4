import { isSet } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * Fields that determine the cost of a call, each with the values at list price. `auto` is what Anthropic does when the tier is
 * absent: the operator's own commitments decide, so it passes like the absent field.
 */
const LIST_PRICE: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['service_tier', ['auto', 'standard_only']],
  ['speed', ['standard']],
  ['inference_geo', ['global']],
  ['compaction', []],
  ['fallback_credit_token', []],
]);

/** Context edits by which the provider only drops content. Others generate tokens outside of the usage it reports. */
const FREE_EDITS: ReadonlySet<string> = new Set(['clear_tool_uses_20250919', 'clear_thinking_20251015']);

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request }: ParsedRequest, { errors }: PolicyFindings): void {
  for (const [field, free] of LIST_PRICE) {
    const value = request[field];
    if (!isSet(value) || free.includes(value)) continue;
    const known = free.map((one) => JSON.stringify(one)).join(' and ');
    errors.push(diagnostic(field, known === '' ? 'not supported; remove it' : `only ${known} is supported`));
  }
  const { fallbacks, billing_policy: policy } = request;
  if (isSet(fallbacks) && !(Array.isArray(fallbacks) && fallbacks.length === 0)) {
    errors.push(diagnostic('fallbacks', 'other models within a request are not supported; remove it'));
  }
  if (isSet(policy) && billTo(policy) !== 'self') {
    errors.push(diagnostic('billing_policy', 'requests are billed to the account of their API key; remove it'));
  }
  const edits = request.context_management?.edits ?? [];
  for (let i = 0; i < edits.length; i++) {
    const type = edits[i]?.type ?? '';
    if (FREE_EDITS.has(type)) continue;
    const known = [...FREE_EDITS].map((one) => JSON.stringify(one)).join(' and ');
    errors.push(diagnostic(`context_management.edits[${i}]`, `only ${known} are supported`));
  }
}

function billTo(policy: unknown): unknown {
  if (typeof policy !== 'object' || policy === null) return undefined;
  return 'bill_to' in policy ? policy.bill_to : 'self';
}
