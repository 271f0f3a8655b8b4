import { type ListedModel, RATE_ORDER, type Rates } from './provider-list.ts';

/** Providers that serve models of others: the names of these models in a catalogue begin with the provider's id. */
const HOSTS: ReadonlySet<string> = new Set(['openrouter', 'groq', 'together', 'fireworks', 'cerebras']);

/** What precedes every name at Fireworks. */
const FIREWORKS_PREFIX = /^accounts\/fireworks\/models\//;

/** The id of a provider’s model in a catalogue. */
export function catalogueId(provider: string, upstream: string): string {
  const name = upstream.replace(FIREWORKS_PREFIX, '');
  return HOSTS.has(provider) ? `${provider}/${name}` : name;
}

/** Writes the entry of a model. What is not known is left out with a comment, so that the catalogue is rejected until it is written. */
export function modelYaml(model: ListedModel, id: string, providerId: string, from: string): string {
  const { id: upstream, name, input, rates } = model;
  const lines = [`# ${from}`, `- id: ${scalar(id)}`];
  if (name !== undefined) lines.push(`  display_name: ${scalar(name)}`);
  if (input.length > 0)
    lines.push(`  # It accepts ${input.join(', ')} too: add them as input, and max_tokens_per_image for images.`);
  lines.push(...limitLines(model), ...priceLines(rates));
  lines.push('  deployments:', `    - provider: ${providerId}`);
  if (id !== upstream) lines.push(`      model: ${scalar(upstream)}`);
  return lines.map((line) => `  ${line}\n`).join('');
}

function limitLines({ contextWindow: context, maxOutputTokens: output }: ListedModel): string[] {
  const lines =
    context === undefined ? ['  # context_window: is not known; write it'] : [`  context_window: ${context}`];
  if (output !== undefined) return [...lines, `  max_output_tokens: ${Math.min(output, context ?? output)}`];
  if (context === undefined) return [...lines, '  # max_output_tokens: is not known; write it'];
  return [...lines, `  max_output_tokens: ${context} # is not known; no output is longer than the context window`];
}

/** Rates with at least two decimals where they have any, as prices are written. */
function priceLines(rates: Rates | undefined): string[] {
  if (rates === undefined)
    return [
      '  # price: { input: ..., output: ... } is not known; write it: without a price the model cannot be called',
    ];
  const lines = RATE_ORDER.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [`    ${name}: ${/^\d+\.\d$/.test(rate) ? `${rate}0` : rate}`];
  });
  return ['  price:', ...lines];
}

/** A text as YAML reads it back. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./@+-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
