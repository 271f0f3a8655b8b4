import { appendKey } from '../../../json/path.ts';
import type { Diagnostic } from '../../../request/diagnostics.ts';
import { droppedField, type EmbeddingInput, type PlacedValue } from '../../shared/request.ts';
import { bareModelName } from '../shared/model-name.ts';
import type { EmbedContent } from '../shared/schema.ts';

export type InputResult =
  | { readonly ok: true; readonly input: EmbeddingInput; readonly dropped: readonly Diagnostic[] }
  | { readonly ok: false; readonly error: Diagnostic };

/**
 * Reads one content to embed.
 *
 * @param at its path: empty, or `requests[2]`
 * @param model the model of the path; the body must not name another
 */
export function decodeInput(request: EmbedContent, at: string, model: string): InputResult {
  const within = (path: string) => (at === '' ? path : `${at}.${path}`);
  if (typeof request.model === 'string' && bareModelName(request.model) !== bareModelName(model)) {
    return invalid(within('model'), 'does not match the model in the path');
  }
  const text = decodeParts(request.content.parts, within('content.parts'));
  if (!text.ok) return text;
  const options = placedOptions(request, within);
  const input: EmbeddingInput = {
    content: text.texts.join('\n'),
    at: within('content'),
    dimensions: options.number(['outputDimensionality', 'output_dimensionality']),
    taskType: options.text(['taskType', 'task_type']),
    title: options.text(['title']),
  };
  const joined =
    text.texts.length === 1
      ? []
      : [{ path: input.at, message: `${within('content.parts')}: joined by line breaks for this model's provider` }];
  return { ok: true, input, dropped: [...joined, ...options.unknown.map(droppedField)] };
}

type PartsResult =
  | { readonly ok: true; readonly texts: readonly string[] }
  | { readonly ok: false; readonly error: Diagnostic };

function decodeParts(parts: readonly Readonly<Record<string, unknown>>[], at: string): PartsResult {
  const texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    const place = `${at}[${index}]`;
    // Images and audio have prices of their own, and a file in the provider account may be another customer's.
    const other = Object.keys(part).find((key) => key !== 'text' && part[key] !== null);
    if (other !== undefined) return invalid(appendKey(place, other), 'only text can be embedded here');
    const { text } = part;
    if (typeof text !== 'string') return invalid(`${place}.text`, 'expected a string');
    if (text !== '') texts.push(text);
  }
  return texts.length === 0 ? invalid(at, 'must contain text') : { ok: true, texts };
}

/** `autoTruncate: false` requests an error for inputs that are too long, which is what other providers do. */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map([
  ['autoTruncate', false],
  ['auto_truncate', false],
]);

const CONFIGS = ['embedContentConfig', 'embed_content_config'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'content',
  'taskType',
  'task_type',
  'title',
  'outputDimensionality',
  'output_dimensionality',
  ...CONFIGS,
]);

/** Finds options by any of their names, beside the content or in the configuration, and unknown ones. */
function placedOptions(request: EmbedContent, within: (path: string) => string) {
  const found = new Map<string, PlacedValue<unknown>>();
  const unknown: string[] = [];
  const take = (record: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [name, value] of Object.entries(record)) {
      if (value === undefined || value === null) continue;
      const at = within(appendKey(prefix, name));
      if (!KNOWN.has(name)) {
        if (DEFAULTS.get(name) !== value) unknown.push(at);
      } else if (!found.has(name)) {
        found.set(name, { value, at });
      }
    }
  };
  for (const name of CONFIGS) take(request[name] ?? {}, name);
  take(request, '');
  const pick = (names: readonly string[]) => names.map((name) => found.get(name)).find((entry) => entry !== undefined);
  return {
    unknown,
    text: (names: readonly string[]): PlacedValue<string> | undefined => {
      const entry = pick(names);
      return typeof entry?.value === 'string' ? { value: entry.value, at: entry.at } : undefined;
    },
    number: (names: readonly string[]): PlacedValue<number> | undefined => {
      const entry = pick(names);
      return typeof entry?.value === 'number' ? { value: entry.value, at: entry.at } : undefined;
    },
  };
}

function invalid(path: string, problem: string): { readonly ok: false; readonly error: Diagnostic } {
  return { ok: false, error: { path, message: `${path}: ${problem}` } };
}
