import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, keyVariable } from './connection.ts';
import { exportBlock } from './environment.ts';
import { shellWord } from './quote.ts';

export function clineSetup(connection: Connection): ClientSetup {
  const environment = exportBlock(connection);
  const { serviceName, model } = connection;
  const signIn = [
    // Cline takes a base URL for this provider and OpenAI's only.
    'cline auth --provider openai-compatible',
    `--baseurl ${shellWord(`${baseUrlOf(connection)}/v1`)}`,
    `--apikey "$${keyVariable(serviceName)}"`,
    `--modelid ${shellWord(model)}`,
  ].join(' ');
  return {
    id: 'cline',
    label: 'Cline',
    blocks: [{ ...environment, code: `${environment.code}\n${signIn}\ncline` }],
    note: null,
  };
}
