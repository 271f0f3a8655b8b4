import type { ParametersEntry } from '../catalogue/parameters.ts';
import type { ProviderEntry } from '../catalogue/schema.ts';
import { HOSTED_DIALECTS } from './hosted.ts';
import { LOCAL_DIALECTS } from './local.ts';

/** What the models of a dialect accept, by the protocol of the provider's endpoint. */
export type Dialect = Partial<Record<ProviderEntry['protocol'], ParametersEntry>>;

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ...Object.entries(HOSTED_DIALECTS),
  ...Object.entries(LOCAL_DIALECTS),
]);

/** The names that a provider's entry can have as its `dialect`. */
export const DIALECT_NAMES: readonly string[] = [...DIALECTS.keys()];

/** The parameters of a provider's dialect; undefined for a provider without, or with one that is not known. */
export function dialectParameters({
  dialect = '',
  protocol,
}: Pick<ProviderEntry, 'dialect' | 'protocol'>): ParametersEntry | undefined {
  const known = DIALECTS.get(dialect);
  if (known === undefined || dialect === 'openai' || !WITH_TOOL_SEARCH.includes(protocol)) return known?.[protocol];
  return { tool_search: false, ...known[protocol] };
}

/** The protocols of OpenAI and Anthropic whose other providers lack their tool search. */
const WITH_TOOL_SEARCH: readonly ProviderEntry['protocol'][] = ['openai-responses', 'anthropic-messages'];
