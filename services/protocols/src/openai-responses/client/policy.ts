import type { Diagnostic } from '../../diagnostic.ts';
import { diagnostic } from '../../diagnostic.ts';
import { isSet } from '../../json/record.ts';
import { checkCacheTtl } from './cache-breakpoint-policy.ts';
import { checkItemPolicy } from './item-policy.ts';
import type { ParsedRequest } from './parse.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy } from './tool-policy.ts';

/** What the shared provider account and the price list make of a request. */
export interface ResponsesPolicy {
  /** Fields for which the request is refused; the first one is the one to tell. */
  readonly errors: readonly Diagnostic[];
  /** What is changed or left out without changing the answer's meaning. */
  readonly warnings: readonly Diagnostic[];
  /** Places in `tools` and in `input` of what is left out, and the names of top-level fields that are. */
  readonly droppedTools: ReadonlySet<number>;
  readonly droppedItems: ReadonlySet<number>;
  readonly droppedFields: ReadonlySet<string>;
}

/** What the single guards add to. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly droppedTools: Set<number>;
  readonly droppedItems: Set<number>;
  readonly droppedFields: Set<string>;
}

/**
 * Looks for fields that would make a call dearer than the list price the hold is computed from, and for those that reach
 * into the provider's account, which all customers share.
 */
export function checkPolicy(parsed: ParsedRequest): ResponsesPolicy {
  const findings: PolicyFindings = {
    errors: [],
    warnings: [],
    droppedTools: new Set(),
    droppedItems: new Set(),
    droppedFields: new Set(),
  };
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  checkItemPolicy(parsed, findings);
  checkToolPolicy(parsed, findings);
  checkStoragePolicy(parsed, findings);
  return findings;
}

/**
 * `auto` is what OpenAI does when the field is absent: the operator's own project setting decides, so it passes like the
 * absent field. All other tiers have prices of their own.
 */
const LIST_PRICE_TIERS: ReadonlySet<string> = new Set(['auto', 'default']);

/**
 * Fields that are no part of OpenAI's responses but of upstreams that speak it, each with the values that cost nothing
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

function checkPricePolicy({ request }: ParsedRequest, { errors, warnings, droppedFields }: PolicyFindings): void {
  if (request.background === true) {
    errors.push(diagnostic('background', 'answers in the background are not offered here; leave it out'));
  }
  const tier = request.service_tier;
  if (isSet(tier) && !LIST_PRICE_TIERS.has(tier)) {
    errors.push(diagnostic('service_tier', 'only "auto" and "default" are priced here; leave it out'));
  }
  const mode = request.reasoning?.mode;
  if (isSet(mode) && mode !== 'standard') {
    errors.push(diagnostic('reasoning.mode', 'only "standard" is priced here; leave it out'));
  }
  const cyber = request.access_programs?.['cyber'];
  if (isSet(cyber) && cyber !== 'standard') {
    errors.push(
      diagnostic('access_programs.cyber', "the provider account's programs are not offered here; leave it out"),
    );
  }
  if (isSet(request.context_management)) {
    const message = "left out, since the provider's own summaries of a conversation are not priced here";
    warnings.push(diagnostic('context_management', message));
    droppedFields.add('context_management');
  }
  checkCacheTtl(request.prompt_cache_options?.['ttl'], 'prompt_cache_options.ttl', errors);
  const { modalities } = request;
  const otherModality = Array.isArray(modalities) ? modalities.findIndex((modality) => modality !== 'text') : -1;
  if (otherModality >= 0) errors.push(diagnostic(`modalities[${otherModality}]`, 'only "text" output is priced here'));
  for (const [field, free] of PRICED_EXTENSIONS) {
    const value = request[field];
    if (isSet(value) && !free.includes(value)) errors.push(diagnostic(field, 'not priced here; leave it out'));
  }
}

/** Nothing of ours is stored in the provider's account. Absent means true, which agents take for granted. */
function checkStoragePolicy({ request }: ParsedRequest, { warnings }: PolicyFindings): void {
  if (request.store === true) warnings.push(diagnostic('store', 'sent as false, since the provider account is shared'));
}
