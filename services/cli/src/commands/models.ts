import { formatDollars } from '@tollgate/common/money';
import { Bucket, Modality, type Model, type RouteTable } from '@tollgate/proto/router';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Json } from '../output/json.ts';
import { print } from '../output/print.ts';
import { formatTable } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import type { GlobalOptions } from './global-options.ts';

const BUCKET_NAMES: Readonly<Record<Bucket, string>> = {
  [Bucket.UNSPECIFIED]: 'unspecified',
  [Bucket.INPUT]: 'input',
  [Bucket.CACHE_READ]: 'cache_read',
  [Bucket.CACHE_WRITE_5M]: 'cache_write_5m',
  [Bucket.CACHE_WRITE_1H]: 'cache_write_1h',
  [Bucket.OUTPUT]: 'output',
  [Bucket.REASONING]: 'reasoning',
  [Bucket.IMAGE]: 'image',
  [Bucket.SEARCH]: 'search',
};

const MODALITY_NAMES: Readonly<Record<Modality, string>> = {
  [Modality.UNSPECIFIED]: 'unspecified',
  [Modality.TEXT]: 'text',
  [Modality.IMAGE]: 'image',
  [Modality.AUDIO]: 'audio',
  [Modality.FILE]: 'file',
  [Modality.EMBEDDING]: 'embedding',
};

const COLUMNS = [
  { title: 'MODEL' },
  { title: 'INPUT', align: 'right' as const },
  { title: 'CACHED', align: 'right' as const },
  { title: 'OUTPUT', align: 'right' as const },
  { title: 'CONTEXT', align: 'right' as const },
  { title: 'STATE' },
  { title: 'ALIASES' },
];

export function addModelsCommand(program: Command, io: Io): void {
  program
    .command('models')
    .description('list the models of the catalogue, with prices in US dollars per million tokens')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const table = await callRouter({ io, options }, (client) => client.getRoutes.bind(client), {});
      const rows = table.models.map((model) => rowOf(model, table));
      const json = { version: table.version, models: table.models.map((model) => toJson(model, table)) };
      print(io, options, { json, text: formatTable(COLUMNS, rows, 'The catalogue has no models.') });
    });
}

function rowOf(model: Model, table: RouteTable): string[] {
  const rates = ratesOf(model);
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

function toJson(model: Model, table: RouteTable): { [key: string]: Json } {
  return {
    id: model.modelId,
    aliases: model.aliases,
    display_name: model.displayName,
    owned_by: model.ownedBy,
    state: stateOf(model),
    simulated: isSimulated(model, table),
    input_modalities: model.inputModalities.map((modality) => MODALITY_NAMES[modality]),
    output_modalities: model.outputModalities.map((modality) => MODALITY_NAMES[modality]),
    context_window: Number(model.contextWindow),
    max_output_tokens: Number(model.maxOutputTokens),
    price: { version: model.price?.version ?? '', currency: 'USD', per_million: ratesOf(model) },
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

/** Dollars per million by bucket name, exact. */
function ratesOf(model: Model): { [bucket: string]: string } {
  const rates = model.price?.rates ?? [];
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
