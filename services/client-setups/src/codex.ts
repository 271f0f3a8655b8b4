import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, displayName, keyVariable, providerId } from './connection.ts';
import { exportBlock } from './environment.ts';

export function codexSetup(connection: Connection): ClientSetup {
  const { serviceName, model, contextWindow } = connection;
  const id = providerId(serviceName);
  // Of models that Codex does not know by name.
  const window = contextWindow === null ? '' : `\nmodel_context_window = ${contextWindow}`;
  const config = `model = ${JSON.stringify(model)}
model_provider = "${id}"${window}

[model_providers.${id}]
name = ${JSON.stringify(displayName(serviceName))}
base_url = ${JSON.stringify(`${baseUrlOf(connection)}/v1`)}
env_key = "${keyVariable(serviceName)}"
wire_api = "responses"
supports_websockets = true`;
  const environment = exportBlock(connection);
  return {
    id: 'codex',
    label: 'Codex',
    blocks: [
      { title: '~/.codex/config.toml', language: 'toml', code: config, file: '~/.codex/config.toml' },
      { ...environment, code: `${environment.code}\ncodex` },
    ],
    note: 'The lines before [model_providers] go above all tables of the file.',
  };
}
