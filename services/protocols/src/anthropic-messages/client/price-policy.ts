import { OPTION_NAMES, type OptionName, type OptionRule, requestedOption } from '../../canonical/price-options.ts';
import { isSet } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import { refusedExtension } from '../../request/refused-extension.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * Fields that can have a price. `auto` is what Anthropic does when the tier is absent: the operator's own commitments decide.
 * Asked for by name, it may become any tier that has a price.
 */
const OPTIONS: Readonly<Record<OptionName, OptionRule>> = {
  service_tier: { listed: ['auto', 'standard_only'], open: ['auto'] },
  speed: { listed: ['standard'], open: [] },
  inference_geo: { listed: ['global'], open: [] },
};

/** Fields that determine the cost of a call and have no price; the last two are OpenRouter's. */
const UNPRICED = ['compaction', 'fallback_credit_token', 'models', 'plugins'];

/** Context edits by which the provider only drops content. Others generate tokens outside of the usage it reports. */
const FREE_EDITS: ReadonlySet<string> = new Set(['clear_tool_uses_20250919', 'clear_thinking_20251015']);

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request }: ParsedRequest, { errors, options }: PolicyFindings): void {
  for (const name of OPTION_NAMES) {
    const option = requestedOption(name, name, request[name], OPTIONS[name]);
    if (option !== undefined) options.push(option);
  }
  for (const field of UNPRICED) if (isSet(request[field])) errors.push(refusedExtension(field));
  const { fallbacks, billing_policy: policy } = request;
  if (isSet(fallbacks) && !(Array.isArray(fallbacks) && fallbacks.length === 0)) {
    errors.push(refusedExtension('fallbacks'));
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
