import { messageOf } from '@tollgate/common/errors';
import { CommandFailure } from '../terminal/failure.ts';
import { shiftDecimal } from './decimal.ts';

/** Rates in the order in which a catalogue lists them. */
export const RATE_ORDER = [
  'input',
  'cache_read',
  'cache_write_5m',
  'output',
  'reasoning',
  'search',
  'request',
] as const;
type RateName = (typeof RATE_ORDER)[number];

/** US dollars per million, as decimal text. */
export type Rates = Partial<Record<RateName, string>>;

/** A model in a provider’s own list. */
export interface ListedModel {
  id: string;
  name?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  /** What it accepts beside text. */
  input: ('image' | 'audio' | 'file')[];
  /** Absent if the list has none. */
  rates?: Rates;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Gets the list of models of a provider.
 *
 * @param baseUrl with the version, as in a catalogue
 * @param headers with the credential, if there is one
 * @param credentialNote about the credential, for the message if it is refused
 * @throws CommandFailure naming what went wrong, without the credential
 */
export async function fetchModels(
  baseUrl: string,
  headers: Record<string, string>,
  credentialNote: string,
): Promise<ListedModel[]> {
  const url = `${baseUrl.replace(/\/$/, '')}/models`;
  let text: string;
  try {
    const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      const isRefused = response.status === 401 || response.status === 403;
      throw new Error(`it answered with status ${response.status}${isRefused ? credentialNote : ''}`);
    }
    text = await readBounded(response);
  } catch (error) {
    throw new CommandFailure(`cannot get ${url}: ${messageOf(error)}`, { cause: error });
  }
  try {
    return parseModels(text);
  } catch (error) {
    throw new CommandFailure(`${url} has no list of models: ${messageOf(error)}`, { cause: error });
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Entry = { [field: string]: unknown };

/** Reads a list of models with its numbers as text: `{ data: [...] }`, or the list itself. */
export function parseModels(text: string): ListedModel[] {
  const value: unknown = JSON.parse(text, (_, item, context?: { source?: string }) =>
    typeof item === 'number' ? (context?.source ?? String(item)) : item,
  );
  const list = isEntry(value) ? value['data'] : value;
  if (!Array.isArray(list)) throw new Error('it is no list');
  return list.filter(isEntry).flatMap((entry) => {
    const { id } = entry;
    if (typeof id !== 'string') return [];
    const name = textOf(entry['display_name']) ?? textOf(entry['name']);
    return [{ id, ...(name !== undefined && { name }), ...factsOf(entry) }];
  });
}

function factsOf(entry: Entry): Omit<ListedModel, 'id' | 'name'> {
  const top = isEntry(entry['top_provider']) ? entry['top_provider'] : {};
  const limits = isEntry(entry['limits']) ? entry['limits'] : {};
  const context =
    tokensOf(entry['context_length']) ??
    tokensOf(entry['context_window']) ??
    tokensOf(entry['max_context_length']) ??
    tokensOf(entry['max_model_len']) ??
    tokensOf(limits['max_context_length']);
  const output =
    tokensOf(top['max_completion_tokens']) ??
    tokensOf(entry['max_completion_tokens']) ??
    tokensOf(entry['max_output_tokens']) ??
    tokensOf(limits['max_completion_tokens']);
  const rates = ratesOf(entry['pricing']);
  return {
    ...(context !== undefined && { contextWindow: context }),
    ...(output !== undefined && { maxOutputTokens: output }),
    input: inputOf(entry),
    ...(rates !== undefined && { rates }),
  };
}

function inputOf(entry: Entry): ListedModel['input'] {
  const architecture = isEntry(entry['architecture']) ? entry['architecture'] : {};
  const listed: unknown = architecture['input_modalities'];
  return (['image', 'audio', 'file'] as const).filter((name) => Array.isArray(listed) && listed.includes(name));
}

/** Prices of OpenRouter’s form, in dollars per token, call or search. */
const PER_TOKEN: Readonly<Record<string, RateName>> = {
  prompt: 'input',
  completion: 'output',
  input_cache_read: 'cache_read',
  input_cache_write: 'cache_write_5m',
  internal_reasoning: 'reasoning',
  request: 'request',
  web_search: 'search',
};

/** Prices of Together’s form, in dollars per million tokens. */
const PER_MILLION: Readonly<Record<string, RateName>> = {
  input: 'input',
  output: 'output',
  cached_input: 'cache_read',
};

/** Rates of a list; undefined if it lacks the price of input or output, or has one that varies. */
function ratesOf(pricing: unknown): Rates | undefined {
  if (!isEntry(pricing)) return undefined;
  const perToken = pricing['prompt'] !== undefined;
  const rates: Rates = {};
  for (const [field, name] of Object.entries(perToken ? PER_TOKEN : PER_MILLION)) {
    const rate = shiftDecimal(String(pricing[field] ?? ''), perToken ? 6 : 0);
    // Providers list 0 for what they do not sell.
    if (rate !== undefined && (rate !== '0' || name === 'input' || name === 'output')) rates[name] = rate;
  }
  return rates.input === undefined || rates.output === undefined ? undefined : rates;
}

function tokensOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
