import type { Diagnostic } from '../../diagnostic.ts';
import { diagnostic } from '../../diagnostic.ts';
import type { GenerationConfig } from '../schema.ts';
import { findForeignSignatures } from '../shared/foreign-signatures.ts';
import type { ParsedRequest } from './parse.ts';
import { checkReferencePolicy } from './reference-policy.ts';
import { checkToolPolicy, type KeptTools } from './tool-policy.ts';

/** What the shared provider account and the price list make of a request. Paths are in the client's spelling. */
export interface GeminiPolicy {
  /** Fields for which the request is refused; the first one is the one to tell. */
  readonly errors: readonly Diagnostic[];
  /** What is changed or left out without changing the answer's meaning. */
  readonly warnings: readonly Diagnostic[];
  /** Members that are replaced, by a JSON text. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Undefined when all tools stay. */
  readonly tools: KeptTools | undefined;
  /** Of thought signatures of other providers, which are left out towards Google only. */
  readonly foreign: readonly Diagnostic[];
}

/** What the guards add to as they go. */
export interface PolicyFindings {
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
}

/**
 * Looks for fields that would make a call dearer than the list price the hold is computed from, and for those that reach
 * into the provider's account, which all customers share.
 */
export function checkPolicy(parsed: ParsedRequest): GeminiPolicy {
  const findings: PolicyFindings = { errors: [], warnings: [] };
  const { warnings } = findings;
  checkPricePolicy(parsed, findings);
  checkReferencePolicy(parsed, findings);
  const tools = checkToolPolicy(parsed, findings);
  const replaced = checkStoragePolicy(parsed, warnings);
  const [seal] = findForeignSignatures(parsed.request.contents);
  const foreign =
    seal === undefined ? [] : [diagnostic(parsed.aliases.path(seal), "left out, since it is another provider's")];
  return { ...findings, replaced, tools, foreign };
}

const LIST_PRICE_TIERS: ReadonlySet<string> = new Set(['unspecified', 'standard']);

/** Settings of the generation that make other things than text, or have another model answer. */
const PRICED_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['speechConfig', 'audio output is not priced here; leave it out'],
  ['imageConfig', 'image output is not priced here; leave it out'],
  ['translationConfig', 'not priced here; leave it out'],
  ['enableAffectiveDialog', 'not priced here; leave it out'],
  ['routingConfig', 'the model is the one named in the path; leave it out'],
  ['modelSelectionConfig', 'the model is the one named in the path; leave it out'],
]);

function checkPricePolicy({ request, aliases }: ParsedRequest, { errors }: PolicyFindings): void {
  const refuse = (path: string, message: string) => errors.push(diagnostic(aliases.path(path), message));
  const tier = request.serviceTier?.toLowerCase().replace(/^service_tier_/, '');
  if (tier !== undefined && !LIST_PRICE_TIERS.has(tier)) {
    refuse('serviceTier', 'only "unspecified" and "standard" are priced here; leave it out');
  }
  const config: GenerationConfig = request.generationConfig ?? {};
  const modality = config.responseModalities?.findIndex((name) => !isTextModality(name)) ?? -1;
  if (modality >= 0) {
    refuse(`generationConfig.responseModalities[${modality}]`, 'only "TEXT" output is priced here');
  }
  for (const [field, message] of PRICED_SETTINGS) {
    const value = config[field];
    if (value !== undefined && value !== null && value !== false) refuse(`generationConfig.${field}`, message);
  }
  for (const [i, format] of (config.responseFormat ?? []).entries()) {
    for (const kind of ['audio', 'image', 'video']) {
      if (format[kind] !== undefined && format[kind] !== null) {
        refuse(`generationConfig.responseFormat[${i}].${kind}`, 'only text output is priced here');
      }
    }
  }
  for (const [i, { parts }] of request.contents.entries()) {
    for (const [j, part] of (parts ?? []).entries()) {
      if (part.mediaProcessing?.toUpperCase() === 'AGENTIC') {
        refuse(`contents[${i}].parts[${j}].mediaProcessing`, 'processing by tools of the provider is not priced here');
      }
    }
  }
}

function isTextModality(name: string): boolean {
  const upper = name.toUpperCase();
  return upper === 'TEXT' || upper === 'MODALITY_UNSPECIFIED';
}

/** Nothing of ours is kept in the provider's logs where the request has a say in it. */
function checkStoragePolicy({ request, aliases }: ParsedRequest, warnings: Diagnostic[]): ReadonlyMap<string, string> {
  if (request.store !== true) return new Map();
  warnings.push(diagnostic(aliases.path('store'), 'sent as false, since the provider account is shared'));
  return new Map([['store', 'false']]);
}
