import { diagnostic } from '../../diagnostic.ts';
import type { GenerationConfig } from '../schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

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

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request, aliases }: ParsedRequest, { errors }: PolicyFindings): void {
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
