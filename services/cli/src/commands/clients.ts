import type { ClientSetup } from '@tollgate/client-setups/client-setup';
import { clientSetups } from '@tollgate/client-setups/clients';
import type { Connection } from '@tollgate/client-setups/connection';
import { MODALITY_NAMES } from '@tollgate/common/catalogue-names';
import type { Model } from '@tollgate/proto/router';
import { Modality } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { gatewayUrl } from '../services/addresses.ts';
import { callRouter } from '../services/clients.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ClientsOptions extends GlobalOptions {
  baseUrl?: string;
  model?: string;
}

/** Any connection: ids and labels do not depend on it. */
const NAMES = clientSetups({
  baseUrl: '',
  serviceName: 'tollgate',
  secret: null,
  model: '',
  contextWindow: null,
  maxOutputTokens: null,
  inputModalities: [],
}).map(({ id, label }) => ({ id, label }));

export function addClientsCommand(program: Command, io: Io): void {
  program
    .command('clients')
    .description('print how to use the gateway from an agent, a framework or an SDK: files and commands to copy')
    .argument('[client]', `one of ${NAMES.map(({ id }) => id).join(', ')}; without it, they are listed`)
    .option('--base-url <url>', 'address of the gateway (env TOLLGATE_BASE_URL; default: what "make up" wrote)')
    .option('--model <id>', 'id or alias of the model to use (default: the first of the catalogue that is available)')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ClientsOptions>();
      if (name === undefined) {
        const text = NAMES.map(({ id, label }) => `${id.padEnd(16)}${label}\n`).join('');
        return print(io, options, { json: NAMES, text });
      }
      if (!NAMES.some(({ id }) => id === name)) {
        throw new UsageFailure(`there is no client ${name}: "tollgate clients" lists them`);
      }
      const baseUrl = gatewayUrl(options.baseUrl, io);
      const { models } = await callRouter({ io, options }, (client) => client.getRoutes.bind(client), {});
      const model = modelOf(models, options.model);
      const connection: Connection = {
        baseUrl,
        serviceName: io.env['SERVICE_NAME'] || 'tollgate',
        secret: null,
        model: options.model ?? model.modelId,
        contextWindow: Number(model.contextWindow) || null,
        maxOutputTokens: Number(model.maxOutputTokens) || null,
        inputModalities: model.inputModalities.map((modality) => MODALITY_NAMES[modality]),
      };
      const setup = clientSetups(connection).find(({ id }) => id === name);
      if (setup !== undefined) print(io, options, { json: toJson(setup), text: toText(setup) });
    });
}

function modelOf(models: readonly Model[], wanted: string | undefined): Model {
  if (wanted !== undefined) {
    const named = models.find((model) => model.modelId === wanted || model.aliases.includes(wanted));
    if (named === undefined) throw new CommandFailure(`the catalogue has no model ${wanted}`);
    return named;
  }
  const callable = models.filter(
    ({ enabled, outputModalities }) => enabled && !outputModalities.includes(Modality.EMBEDDING),
  );
  const model = callable.find(({ deployments }) => deployments.some(({ inRotation }) => inRotation)) ?? callable[0];
  if (model === undefined) throw new CommandFailure('the catalogue has no model that can be called');
  return model;
}

function toText({ blocks, note }: ClientSetup): string {
  const parts = blocks.map(({ title, code }) => `# ${title}\n\n${code}\n`);
  return [...parts, ...(note === null ? [] : [`# ${note}\n`])].join('\n');
}

function toJson({ id, label, blocks, note }: ClientSetup) {
  return {
    id,
    label,
    blocks: blocks.map(({ title, language, code, file }) => ({ title, language, code, file: file ?? null })),
    note,
  };
}
