import type { ClientSetup } from '@tollgate/client-setups/client-setup';
import { clientSetups } from '@tollgate/client-setups/clients';
import type { Connection } from '@tollgate/client-setups/connection';
import type { Api } from '@tollgate/console/api/index';
import type { Command } from 'commander';
import { ConsoleClient } from '../api/client.ts';
import { connect } from '../profiles/connect.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ClientsOptions extends GlobalOptions {
  account?: string;
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
    .option('--account <id>', 'the account that you may see models of, unless you are an operator')
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
      const client = connect(io, options);
      // For everybody, so not offered to management keys.
      const config = await new ConsoleClient(client.url, undefined).call('GET /config');
      const { data } =
        options.account === undefined
          ? await client.call('GET /operator/models')
          : await client.call('GET /accounts/{account_id}/models', { path: { account_id: options.account } });
      const model = modelOf(data, options.model);
      const connection: Connection = {
        baseUrl: config.base_url,
        serviceName: config.service_name,
        secret: null,
        model: options.model ?? model.model,
        contextWindow: model.context_window || null,
        maxOutputTokens: model.max_output_tokens || null,
        inputModalities: model.input_modalities,
      };
      const setup = clientSetups(connection).find(({ id }) => id === name);
      if (setup !== undefined) print(io, options, { json: toJson(setup), text: toText(setup) });
    });
}

type Model = Api['GET /operator/models']['response']['data'][number];

function modelOf(models: readonly Model[], wanted: string | undefined): Model {
  if (wanted !== undefined) {
    const named = models.find(({ model, aliases }) => model === wanted || aliases.includes(wanted));
    if (named === undefined) throw new CommandFailure(`the catalogue has no model ${wanted}`);
    return named;
  }
  const callable = models.filter(({ enabled, output_modalities: output }) => enabled && !output.includes('embedding'));
  const model = callable.find(({ available }) => available) ?? callable[0];
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
