import { listedPrices } from './price-list.ts';
import type { SourceFacts, SourceProvider } from './price-source.ts';
import { formatPrices } from './price-yaml.ts';

/** A model to write into a catalogue. */
export interface ImportedModel {
  /** Its name at the provider. */
  upstream: string;
  name?: string;
  facts: SourceFacts;
  /** Where the facts are from, with the date. */
  from: string;
}

/** The id of a provider’s model in a catalogue: that of a host begins with the host’s. */
export function catalogueId({ model_prefix = '', name_prefix = '' }: SourceProvider, upstream: string): string {
  return `${name_prefix}${upstream.startsWith(model_prefix) ? upstream.slice(model_prefix.length) : upstream}`;
}

/** Whether the price of a model is known on a day, so that it can be called. */
export function isPriced({ facts }: ImportedModel, today: string): boolean {
  const rates = listedPrices(facts, today)[0]?.rates;
  return rates?.input !== undefined && (rates.output !== undefined || facts.embedding === true);
}

/** Writes the entry of a model. What is not known is left out with a comment, so that the catalogue is rejected until it is written. */
export function modelYaml(model: ImportedModel, provider: SourceProvider, providerId: string, today: string): string {
  const { upstream, name, facts, from } = model;
  const id = catalogueId(provider, upstream);
  const lines = [`# ${from}`, `- id: ${scalar(id)}`];
  if (name !== undefined) lines.push(`  display_name: ${scalar(name)}`);
  if (facts.embedding === true) lines.push('  output: [embedding]');
  const others = (facts.input ?? []).filter((modality) => modality !== 'text');
  if (others.length > 0 && facts.embedding !== true) {
    lines.push(`  # It accepts ${others.join(', ')} too: add them as input, and max_tokens_per_image for images.`);
  }
  lines.push(...limitLines(facts));
  if (facts.reasoning === true) lines.push('  on_disconnect: drain');
  lines.push(...priceLines(model, today));
  lines.push('  deployments:', `    - provider: ${providerId}`);
  if (id !== upstream) lines.push(`      model: ${scalar(upstream)}`);
  return lines.map((line) => `  ${line}\n`).join('');
}

function limitLines({ context_window: context, max_output_tokens: output, embedding }: SourceFacts): string[] {
  const lines =
    context === undefined ? ['  # context_window: is not known; write it'] : [`  context_window: ${context}`];
  if (embedding === true) return lines;
  if (output !== undefined) return [...lines, `  max_output_tokens: ${Math.min(output, context ?? output)}`];
  if (context === undefined) return [...lines, '  # max_output_tokens: is not known; write it'];
  return [...lines, `  max_output_tokens: ${context} # is not known; no output is longer than the context window`];
}

function priceLines(model: ImportedModel, today: string): string[] {
  if (!isPriced(model, today)) {
    return [
      '  # price: { input: ..., output: ... } is not known; write it: without a price the model cannot be called',
    ];
  }
  const prices = listedPrices(model.facts, today).map((price) =>
    model.facts.embedding === true && price.rates.input !== undefined
      ? { ...price, rates: { input: price.rates.input }, tiers: [], options: [] }
      : price,
  );
  return formatPrices(prices, 2).trimEnd().split('\n');
}

/** A text as YAML reads it back. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./@+-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
