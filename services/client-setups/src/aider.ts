import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, KEY_PLACEHOLDER } from './connection.ts';
import { exportLines } from './environment.ts';
import { shellWord } from './quote.ts';

export function aiderSetup(connection: Connection): ClientSetup {
  const { secret, model } = connection;
  const variables = {
    ANTHROPIC_API_BASE: baseUrlOf(connection),
    ANTHROPIC_API_KEY: secret ?? KEY_PLACEHOLDER,
  };
  return {
    id: 'aider',
    label: 'aider',
    blocks: [
      {
        title: 'Environment',
        language: 'shell',
        code: exportLines(variables, `aider --model ${shellWord(`anthropic/${model}`)}`),
      },
    ],
    note: null,
  };
}
