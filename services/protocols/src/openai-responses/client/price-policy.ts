import { type OptionRule, requestedOption } from '../../canonical/price-options.ts';
import { requestedTier } from '../../canonical/service-tier.ts';
import { isSet, type JsonRecord, recordOr } from '../../json/record.ts';
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
 * Fields that are not part of OpenAI's responses but of compatible upstreams, each with the values that cost nothing
 * extra. They multiply, redirect or add to what is billed.
 */
const PRICED_EXTENSIONS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['n', [1]],
  ['best_of', [1]],
  ['audio', []],
  ['speed', ['standard']],
  ['inference_geo', []],
  ['search_parameters', []],
  ['plugins', []],
  ['models', []],
  ['fallbacks', []],
]);

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request }: ParsedRequest, findings: PolicyFindings): void {
  const { errors, warnings, options, droppedFields } = findings;
  if (request.background === true) {
    errors.push(diagnostic('background', 'background responses are not supported; remove it'));
  }
  const tier = requestedOption('service_tier', 'service_tier', requestedTier(request.service_tier), TIERS);
  if (tier !== undefined) options.push(tier);
  const mode = request.reasoning?.mode;
  if (isSet(mode) && mode !== 'standard') {
    errors.push(diagnostic('reasoning.mode', 'only "standard" is supported; remove it'));
  }
  const cyber = request.access_programs?.['cyber'];
  if (isSet(cyber) && cyber !== 'standard') {
    errors.push(diagnostic('access_programs.cyber', 'programs of the provider account are not supported; remove it'));
  }
  if (isSet(request.context_management)) {
    const message = 'left out, since conversation summaries of the provider are not supported';
    warnings.push(diagnostic('context_management', message));
    droppedFields.add('context_management');
  }
  checkCacheTtl(request.prompt_cache_options?.['ttl'], 'prompt_cache_options.ttl', findings);
  const { modalities } = request;
  const otherModality = Array.isArray(modalities) ? modalities.findIndex((modality) => modality !== 'text') : -1;
  if (otherModality >= 0) errors.push(diagnostic(`modalities[${otherModality}]`, 'only "text" output is supported'));
  for (const [field, free] of PRICED_EXTENSIONS) {
    const value = request[field];
    if (isSet(value) && !free.includes(value)) errors.push(refusedExtension(field));
  }
}

/** Every model that is written to a cache has a price for the default; the longer lifetime needs one of its own. */
function checkCacheTtl(ttl: unknown, path: string, { errors, cacheWrites }: PolicyFindings): void {
  if (!isSet(ttl) || ttl === '30m') return;
  if (ttl === '12h') cacheWrites.push({ bucket: 'cache_write_12h', path });
  else errors.push(diagnostic(path, 'only "30m" and "12h" are supported; remove it'));
}

/** A breakpoint in a part of an item can ask for a lifetime of its own. */
export function checkCacheBreakpoint(part: JsonRecord, path: string, findings: PolicyFindings): void {
  checkCacheTtl(recordOr(part['prompt_cache_breakpoint'])['ttl'], `${path}.prompt_cache_breakpoint.ttl`, findings);
}
