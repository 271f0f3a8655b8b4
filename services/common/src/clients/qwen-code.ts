import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection } from './connection.ts';
import { exportLines } from './environment.ts';

export function qwenCodeSetup(connection: Connection): ClientSetup {
  const variables = {
    OPENAI_BASE_URL: `${baseUrlOf(connection)}/v1`,
    OPENAI_API_KEY: connection.secret ?? '…',
    OPENAI_MODEL: connection.model,
  };
  const settings = { security: { auth: { selectedType: 'openai' } } };
  return {
    id: 'qwen-code',
    label: 'Qwen Code',
    blocks: [
      {
        title: '~/.qwen/settings.json',
        language: 'json',
        code: JSON.stringify(settings, null, 2),
        file: '~/.qwen/settings.json',
      },
      { title: 'Environment', language: 'shell', code: exportLines(variables, 'qwen') },
    ],
    note: null,
  };
}
