import { BUCKET_NAMES, MODALITY_NAMES } from '@tollgate/common/catalogue-names';
import { formatDollars, formatFactor } from '@tollgate/common/money';
import type { Model, Price, Rate, RouteTable } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import type { Io } from '../terminal/io.ts';
import type { Json } from '../terminal/print.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { addModelsHealthCommand } from './models-health.ts';

const COLUMNS = [
  { title: 'MODEL' },
  { title: 'INPUT', align: 'right' as const },
  { title: 'CACHED', align: 'right' as const },
  { title: 'OUTPUT', align: 'right' as const },
  { title: 'CONTEXT', align: 'right' as const },
  { title: 'STATE' },
  { title: 'ALIASES' },
];

export function addModelCommands(program: Command, io: Io): void {
  const models = program
    .command('models')
    .description('list the models of the catalogue, with prices in US dollars per million tokens')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const table = await callRouter({ io, options }, (client) => client.getRoutes.bind(client), {});
      const now = io.now();
      const rows = table.models.map((model) => rowOf(model, table, now));
      const json = { version: table.version, models: table.models.map((model) => toJson(model, table, now)) };
      print(io, options, { json, text: formatTable(COLUMNS, rows, 'The catalogue has no models.') });
    });
  addModelsHealthCommand(models, io);
}

function rowOf(model: Model, table: RouteTable, now: number): string[] {
  const rates = ratesOf(priceNow(model, now)?.rates);
  const state = [stateOf(model), ...(isSimulated(model, table) ? ['simulated'] : [])].join(', ');
  return [
    model.modelId,
    rates['input'] ?? '',
    rates['cache_read'] ?? '',
    rates['output'] ?? '',
    model.contextWindow.toString(),
    state,
    model.aliases.join(', '),
  ];
}

function toJson(model: Model, table: RouteTable, now: number): { [key: string]: Json } {
  return {
    id: model.modelId,
    aliases: model.aliases,
    display_name: model.displayName,
    ...(model.description !== '' && { description: model.description }),
    owned_by: model.ownedBy,
    state: stateOf(model),
    simulated: isSimulated(model, table),
    input_modalities: model.inputModalities.map((modality) => MODALITY_NAMES[modality]),
    output_modalities: model.outputModalities.map((modality) => MODALITY_NAMES[modality]),
    context_window: Number(model.contextWindow),
    max_output_tokens: Number(model.maxOutputTokens),
    price: { currency: 'USD', ...priceToJson(priceNow(model, now)) },
    upcoming_prices: model.prices
      .filter((price) => Number(price.effectiveFromMs) > now)
      .map((price) => ({
        effective_from: new Date(Number(price.effectiveFromMs)).toISOString(),
        ...priceToJson(price),
      })),
    deployments: model.deployments.map((deployment) => ({
      id: deployment.deploymentId,
      provider: deployment.providerId,
      upstream_model: deployment.upstreamModel,
      weight: deployment.weight,
      priority: deployment.priority,
      in_rotation: deployment.inRotation,
    })),
  };
}

/** The price of requests that start now. */
function priceNow({ prices }: Model, now: number): Price | undefined {
  return prices.findLast((price) => Number(price.effectiveFromMs) <= now);
}

function priceToJson(price: Price | undefined): { [key: string]: Json } {
  return {
    version: price?.version ?? '',
    per_million: ratesOf(price?.rates),
    tiers: tiersOf(price?.tiers),
    options: (price?.options ?? []).map(({ name, value, multiplierPpm, rates, tiers }) => ({
      name,
      value,
      multiplier: multiplierPpm === 0n ? null : formatFactor(multiplierPpm),
      per_million: ratesOf(rates),
      tiers: tiersOf(tiers),
    })),
  };
}

function tiersOf(tiers: Price['tiers'] = []) {
  return tiers.map((tier) => ({
    above_input_tokens: Number(tier.aboveInputTokens),
    per_million: ratesOf(tier.rates),
  }));
}

/** Dollars per million by bucket name, exact. */
function ratesOf(rates: readonly Rate[] = []): { [bucket: string]: string } {
  return Object.fromEntries(rates.map((rate) => [BUCKET_NAMES[rate.bucket], formatDollars(rate.nanosPerMillion)]));
}

function stateOf(model: Model): string {
  if (!model.enabled) return 'switched off';
  return model.deployments.some((deployment) => deployment.inRotation) ? 'available' : 'out of service';
}

function isSimulated(model: Model, table: RouteTable): boolean {
  const simulated = new Set(
    table.providers.filter((provider) => provider.simulated).map(({ providerId }) => providerId),
  );
  return model.deployments.some((deployment) => simulated.has(deployment.providerId));
}
