import { type OptionRule, requestedOption } from '../../canonical/price-options.ts';
import { requestedTier } from '../../canonical/service-tier.ts';
import { isSet, type JsonRecord, recordOr } from '../../json/record.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { refusedExtension } from '../../request/refused-extension.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * `auto` is what OpenAI does when the field is absent: its project setting decides. Asked for by name, it may become any tier
 * that has a price. All other tiers have prices of their own.
 */
const TIERS: OptionRule = { listed: ['auto', 'default'], open: ['auto'] };

/** Usage reports do not separate lifetimes, so cache writes have one price: that of the default. */
const LIST_PRICE_CACHE_TTL = '30m';
const LIST_PRICE_CONTROL_TTL = '5m';

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
  const ttl = request.prompt_cache_options?.['ttl'];
  if (isSet(ttl) && ttl !== LIST_PRICE_CACHE_TTL) errors.push(longCache('prompt_cache_options.ttl'));
  checkCacheControl(request, () => '', errors);
  request.tools?.forEach((tool, i) => {
    checkCacheControl(tool, () => `tools[${i}].`, errors);
    if (tool.function !== undefined) checkCacheControl(tool.function, () => `tools[${i}].function.`, errors);
  });
  checkCacheBreakpoints(request.messages, errors);
  for (const [field, free] of PRICED_EXTENSIONS) {
    const value = request[field];
    if (isSet(value) && !free.includes(value)) errors.push(refusedExtension(field));
  }
}

/** A breakpoint in a part of a message can ask for a lifetime of its own. */
function checkCacheBreakpoints(messages: readonly ChatMessage[], errors: Diagnostic[]): void {
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i];
    if (message === undefined) continue;
    checkCacheControl(message, () => `messages[${i}].`, errors);
    const { content } = message;
    if (!Array.isArray(content)) continue;
    for (let j = 0; j < content.length; j++) {
      const part = recordOr(content[j]);
      const ttl = recordOr(part['prompt_cache_breakpoint'])['ttl'];
      const path = () => `messages[${i}].content[${j}].`;
      if (isSet(ttl) && ttl !== LIST_PRICE_CACHE_TTL) errors.push(longCache(`${path()}prompt_cache_breakpoint.ttl`));
      checkCacheControl(part, path, errors);
    }
  }
}

/** The field that clients of other providers' models send, with those providers' default. */
function checkCacheControl(piece: JsonRecord, prefix: () => string, errors: Diagnostic[]): void {
  const ttl = recordOr(piece['cache_control'])['ttl'];
  if (isSet(ttl) && ttl !== LIST_PRICE_CONTROL_TTL) {
    errors.push(longCache(`${prefix()}cache_control.ttl`, LIST_PRICE_CONTROL_TTL));
  }
}

function longCache(path: string, ttl = LIST_PRICE_CACHE_TTL): Diagnostic {
  return diagnostic(path, `only "${ttl}" is supported; remove it`);
}
