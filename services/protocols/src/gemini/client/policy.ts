import type { FieldNote } from '../../field-note.ts';
import { note } from '../../field-note.ts';
import type { GenerationConfig } from '../schema.ts';
import { findForeignSeals } from '../shared/foreign-signatures.ts';
import type { DecodedGeminiRequest } from './parse.ts';
import { guardReferences } from './reference-policy.ts';
import { guardTools, type KeptTools } from './tool-policy.ts';

/** What the shared provider account and the price list make of a request. Paths are in the client's spelling. */
export interface GeminiGuard {
  /** Fields for which the request is refused; the first one is the one to tell. */
  readonly refusals: readonly FieldNote[];
  /** What is changed or left out without changing the answer's meaning. */
  readonly warnings: readonly FieldNote[];
  /** Members that are replaced, by a JSON text. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Undefined when all tools stay. */
  readonly tools: KeptTools | undefined;
  /** Of thought signatures of other providers, which are left out towards Google only. */
  readonly foreign: readonly FieldNote[];
}

/** What the guards add to as they go. */
export interface Findings {
  readonly refusals: FieldNote[];
  readonly warnings: FieldNote[];
}

/**
 * Looks for fields that would make a call dearer than the list price the hold is computed from, and for those that reach
 * into the provider's account, which all customers share.
 */
export function guardGeminiRequest(decoded: DecodedGeminiRequest): GeminiGuard {
  const findings: Findings = { refusals: [], warnings: [] };
  const { warnings } = findings;
  guardPrices(decoded, findings);
  guardReferences(decoded, findings);
  const tools = guardTools(decoded, findings);
  const replaced = guardStorage(decoded, warnings);
  const [seal] = findForeignSeals(decoded.request.contents);
  const foreign =
    seal === undefined ? [] : [note(decoded.spelling.path(seal), "left out, since it is another provider's")];
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

function guardPrices({ request, spelling }: DecodedGeminiRequest, { refusals }: Findings): void {
  const refuse = (path: string, message: string) => refusals.push(note(spelling.path(path), message));
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
function guardStorage({ request, spelling }: DecodedGeminiRequest, warnings: FieldNote[]): ReadonlyMap<string, string> {
  if (request.store !== true) return new Map();
  warnings.push(note(spelling.path('store'), 'sent as false, since the provider account is shared'));
  return new Map([['store', 'false']]);
}
