import {
  EFFORTS,
  type FieldName,
  type Reasoning,
  type RequestFields,
  type ResponseFormat,
} from '../../canonical/request.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { GenerationConfig } from '../shared/schema.ts';
import { toJsonSchema } from './json-schema.ts';
import type { RequestDiagnostics } from './request-diagnostics.ts';

export interface DecodedConfig {
  readonly fields: RequestFields;
  readonly names: Readonly<Partial<Record<FieldName, string>>>;
}

/** Settings that are decoded here, or that the policies allow only with their default. */
const KNOWN: ReadonlySet<string> = new Set([
  'audioTranscriptionConfig',
  'candidateCount',
  'enableAffectiveDialog',
  'frequencyPenalty',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseFormat',
  'responseJsonSchema',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'responseSchema',
  'seed',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
]);

const ROOT = 'generationConfig';

/** The generation settings, and the client's names for them. */
export function decodeConfig(config: GenerationConfig, diagnostics: RequestDiagnostics): DecodedConfig {
  diagnostics.unknown(config, KNOWN, ROOT);
  if (config['audioTranscriptionConfig']) {
    diagnostics.reject(`${ROOT}.audioTranscriptionConfig`, "not available at this model's provider; remove it");
  }
  const set: { [K in FieldName]?: readonly [value: RequestFields[K] | null, field: string] } = {
    maxOutputTokens: [config.maxOutputTokens ?? null, 'maxOutputTokens'],
    temperature: [config.temperature ?? null, 'temperature'],
    topP: [config.topP ?? null, 'topP'],
    topK: [config.topK ?? null, 'topK'],
    seed: [config.seed ?? null, 'seed'],
    presencePenalty: [config.presencePenalty ?? null, 'presencePenalty'],
    frequencyPenalty: [config.frequencyPenalty ?? null, 'frequencyPenalty'],
    choices: [config.candidateCount ?? null, 'candidateCount'],
    stop: [config.stopSequences?.length ? config.stopSequences : null, 'stopSequences'],
    logprobs: [logprobsOf(config, diagnostics), 'responseLogprobs'],
    responseFormat: formatOf(config, diagnostics),
    reasoning: [reasoningOf(config, diagnostics) ?? null, 'thinkingConfig'],
  };
  const fields: [string, unknown][] = [];
  const names: [string, string][] = [];
  for (const [name, [value, field]] of Object.entries(set)) {
    if (value === null) continue;
    fields.push([name, value]);
    names.push([name, diagnostics.at(`${ROOT}.${field}`)]);
  }
  return { fields: Object.fromEntries(fields), names: Object.fromEntries(names) };
}

function logprobsOf(config: GenerationConfig, diagnostics: RequestDiagnostics): { readonly top: number } | null {
  if (config.responseLogprobs === true) return { top: config.logprobs ?? 0 };
  if (typeof config.logprobs === 'number') {
    diagnostics.reject(`${ROOT}.logprobs`, 'only allowed when responseLogprobs is true');
  }
  return null;
}

function formatOf(config: GenerationConfig, diagnostics: RequestDiagnostics): readonly [ResponseFormat | null, string] {
  const text = config.responseFormat?.find((format) => format.text)?.text;
  if (text) {
    return [
      formatOfType(text.mimeType ?? undefined, text.schema ?? undefined, 'responseFormat', diagnostics),
      'responseFormat',
    ];
  }
  const { responseJsonSchema, responseSchema } = config;
  const field = responseJsonSchema ? 'responseJsonSchema' : responseSchema ? 'responseSchema' : 'responseMimeType';
  if (responseJsonSchema && responseSchema) {
    diagnostics.reject(`${ROOT}.responseJsonSchema`, 'not allowed together with responseSchema; send only one');
  }
  const schema = responseJsonSchema ?? (responseSchema ? toJsonSchema(responseSchema) : undefined);
  return [formatOfType(config.responseMimeType ?? undefined, schema, 'responseMimeType', diagnostics), field];
}

function formatOfType(
  mimeType: string | undefined,
  schema: JsonRecord | undefined,
  field: string,
  diagnostics: RequestDiagnostics,
): ResponseFormat | null {
  const isJson = mimeType?.toLowerCase() === 'application/json';
  if (schema !== undefined && !isJson) {
    diagnostics.reject(`${ROOT}.${field}`, 'must be "application/json" where there is a schema');
  }
  if (isJson) return schema === undefined ? { type: 'json' } : { type: 'json-schema', schema };
  if (mimeType === undefined || mimeType === '') return null;
  if (mimeType.toLowerCase() !== 'text/plain') {
    diagnostics.reject(`${ROOT}.${field}`, 'expected "text/plain" or "application/json"');
  }
  return { type: 'text' };
}

const KNOWN_OF_THINKING: ReadonlySet<string> = new Set(['includeThoughts', 'thinkingBudget', 'thinkingLevel']);

function reasoningOf({ thinkingConfig }: GenerationConfig, diagnostics: RequestDiagnostics): Reasoning | undefined {
  if (!thinkingConfig) return undefined;
  const path = `${ROOT}.thinkingConfig`;
  diagnostics.unknown(thinkingConfig, KNOWN_OF_THINKING, path);
  const { includeThoughts, thinkingBudget: budget, thinkingLevel } = thinkingConfig;
  const level = thinkingLevel?.toLowerCase();
  const effort = EFFORTS.find((name) => name === level);
  if (level !== undefined && effort === undefined && level !== 'thinking_level_unspecified') {
    diagnostics.reject(`${path}.thinkingLevel`, 'expected "MINIMAL", "LOW", "MEDIUM" or "HIGH"');
  }
  if (effort !== undefined && typeof budget === 'number') {
    diagnostics.reject(`${path}.thinkingBudget`, 'not allowed together with thinkingLevel; send only one');
  }
  const reasoning: Reasoning = {
    ...(effort !== undefined && { effort }),
    ...(typeof budget === 'number' && (budget < 0 ? { adaptive: true } : { budgetTokens: budget })),
    ...(typeof includeThoughts === 'boolean' && { show: includeThoughts ? 'auto' : 'none' }),
  };
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}
