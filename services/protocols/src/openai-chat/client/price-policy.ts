import { type OptionRule, requestedOption } from '../../canonical/price-options.ts';
import { requestedTier } from '../../canonical/service-tier.ts';
import { isSet } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import { refusedExtension } from '../../request/refused-extension.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * `auto` is what OpenAI does when the field is absent: its project setting decides. Asked for by name, it may become any tier
 * that has a price. All other tiers have prices of their own.
 */
const TIERS: OptionRule = { listed: ['auto', 'default'], open: ['auto'] };

/**
 * Fields that are not part of OpenAI's chat completions but of compatible upstreams, each with the values that cost
 * nothing extra. They multiply, redirect or add to what is billed.
 */
const PRICED_EXTENSIONS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['best_of', [1]],
  ['background', [false]],
  ['speed', ['standard']],
  ['inference_geo', []],
  ['search_parameters', []],
  ['plugins', []],
  ['models', []],
  ['fallbacks', []],
]);

/** Whether a field is one of those extensions; a value that passed the policy has no effect. */
export function isFreeExtension(field: string): boolean {
  return PRICED_EXTENSIONS.has(field);
}

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request }: ParsedRequest, { errors, options }: PolicyFindings): void {
  const tier = requestedOption('service_tier', 'service_tier', requestedTier(request.service_tier), TIERS);
  if (tier !== undefined) options.push(tier);
  const otherModality = request.modalities?.findIndex((modality) => modality !== 'text') ?? -1;
  if (otherModality >= 0) {
    errors.push(diagnostic(`modalities[${otherModality}]`, 'only "text" output is supported'));
  }
  if (isSet(request.audio)) errors.push(diagnostic('audio', 'audio output is not supported; remove it'));
  for (const [field, free] of PRICED_EXTENSIONS) {
    const value = request[field];
    if (isSet(value) && !free.includes(value)) errors.push(refusedExtension(field));
  }
}
