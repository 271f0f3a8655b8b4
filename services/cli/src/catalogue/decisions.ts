import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { isSameOption } from './price-option.ts';
import {
  EXTRACT,
  SOURCE_NAMES,
  type SourceFacts,
  type SourceModel,
  type SourceName,
  type SourceOption,
} from './price-source.ts';

const decisionSchema = z.strictObject({
  provider: z.string(),
  models: z.array(z.string()).min(1),
  use: z.enum(SOURCE_NAMES),
  why: z.string().min(10),
});

/** Which source is right about the prices of some models, and why. */
export type Decision = z.output<typeof decisionSchema>;

/** The decisions that are shipped. */
export const DECISIONS = new URL('decisions.yaml', EXTRACT);

export function readDecisions(text = readFileSync(DECISIONS, 'utf8')): Decision[] {
  return z.array(decisionSchema).parse(parse(text) ?? []);
}

/** The source of a model’s prices that was decided on. */
export function decisionFor(decisions: readonly Decision[], model: SourceModel): Decision | undefined {
  return decisions.find(({ provider, models }) => provider === model.provider && models.includes(model.id));
}

/**
 * The facts of the chosen source: the one decided on, else genai-prices, else litellm. Options that it does not have are
 * those of the other.
 */
export function chosenFacts(
  model: SourceModel,
  decisions: readonly Decision[],
): { name: SourceName; facts: SourceFacts } | undefined {
  const decided = decisionFor(decisions, model)?.use;
  for (const name of decided === undefined ? SOURCE_NAMES : [decided]) {
    const facts = model[name];
    if (facts !== undefined) return { name, facts: { ...facts, ...optionsOf([facts, ...othersOf(model, name)]) } };
  }
  return undefined;
}

function othersOf(model: SourceModel, name: SourceName): SourceFacts[] {
  return SOURCE_NAMES.flatMap((other) => (other === name ? [] : (model[other] ?? [])));
}

function optionsOf(sources: readonly SourceFacts[]): Pick<SourceFacts, 'options'> {
  const options: SourceOption[] = [];
  for (const option of sources.flatMap((facts) => facts.options ?? [])) {
    if (!options.some((known) => isSameOption(known, option))) options.push(option);
  }
  return options.length === 0 ? {} : { options };
}
