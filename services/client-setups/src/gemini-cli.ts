import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, KEY_PLACEHOLDER } from './connection.ts';
import { exportLines } from './environment.ts';

export function geminiCliSetup(connection: Connection): ClientSetup {
  const variables = {
    // Gemini CLI adds /v1beta. It accepts http only for 127.0.0.1 and localhost.
    GOOGLE_GEMINI_BASE_URL: baseUrlOf(connection),
    GEMINI_API_KEY: connection.secret ?? KEY_PLACEHOLDER,
    GEMINI_MODEL: connection.model,
  };
  const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
  return {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    blocks: [
      {
        title: '~/.gemini/settings.json',
        language: 'json',
        code: JSON.stringify(settings, null, 2),
        file: '~/.gemini/settings.json',
      },
      { title: 'Environment', language: 'shell', code: exportLines(variables, 'gemini') },
    ],
    note: 'The base URL must use https, except on 127.0.0.1 and localhost.',
  };
}
