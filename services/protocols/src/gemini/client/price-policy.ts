import { type OptionRule, requestedOption } from '../../canonical/price-options.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { GenerationConfig } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

const TIERS: OptionRule = { listed: ['unspecified', 'standard'], open: [] };

/** Settings that generate other output than text, or select another model. */
const PRICED_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['speechConfig', 'audio output is not supported; remove it'],
  ['imageConfig', 'image output is not supported; remove it'],
  ['translationConfig', 'not supported; remove it'],
  ['enableAffectiveDialog', 'not supported; remove it'],
  ['routingConfig', 'the path names the model; remove it'],
  ['modelSelectionConfig', 'the path names the model; remove it'],
]);

/** Rejects fields that cost more than the list price. */
export function checkPricePolicy({ request, aliases }: ParsedRequest, { errors, options }: PolicyFindings): void {
  const reject = (path: string, message: string) => errors.push(diagnostic(aliases.path(path), message));
  const tier = requestedOption('service_tier', aliases.path('serviceTier'), serviceTierOf(request.serviceTier), TIERS);
  if (tier !== undefined) options.push(tier);
  const config: GenerationConfig = request.generationConfig ?? {};
  const modality = config.responseModalities?.findIndex((name) => !isTextModality(name)) ?? -1;
  if (modality >= 0) {
    reject(`generationConfig.responseModalities[${modality}]`, 'only "TEXT" output is supported');
  }
  for (const [field, message] of PRICED_SETTINGS) {
    const value = config[field];
    if (value !== undefined && value !== null && value !== false) reject(`generationConfig.${field}`, message);
  }
  for (const [i, format] of (config.responseFormat ?? []).entries()) {
    for (const kind of ['audio', 'image', 'video']) {
      if (format[kind] !== undefined && format[kind] !== null) {
        reject(`generationConfig.responseFormat[${i}].${kind}`, 'only text output is supported');
      }
    }
  }
  for (const [i, { parts }] of request.contents.entries()) {
    for (const [j, part] of (parts ?? []).entries()) {
      if (part.mediaProcessing?.toUpperCase() === 'AGENTIC') {
        reject(`contents[${i}].parts[${j}].mediaProcessing`, 'processing by provider tools is not supported');
      }
    }
  }
}

/** The tier without the prefix and case of its enum. */
export function serviceTierOf(name: string | null | undefined): string | undefined {
  return name?.toLowerCase().replace(/^service_tier_/, '');
}

function isTextModality(name: string): boolean {
  const upper = name.toUpperCase();
  return upper === 'TEXT' || upper === 'MODALITY_UNSPECIFIED';
}
