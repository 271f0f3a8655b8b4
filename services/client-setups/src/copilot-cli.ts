import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, KEY_PLACEHOLDER } from './connection.ts';
import { exportLines } from './environment.ts';

export function copilotCliSetup(connection: Connection): ClientSetup {
  const { secret, model, contextWindow, maxOutputTokens } = connection;
  const variables = {
    COPILOT_PROVIDER_BASE_URL: baseUrlOf(connection),
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: secret ?? KEY_PLACEHOLDER,
    COPILOT_MODEL: model,
    // Copilot CLI knows the sizes of models by name.
    ...(contextWindow !== null &&
      maxOutputTokens !== null && {
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(Math.max(contextWindow - maxOutputTokens, 1)),
        COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
      }),
  };
  return {
    id: 'copilot-cli',
    label: 'GitHub Copilot CLI',
    blocks: [{ title: 'Environment', language: 'shell', code: exportLines(variables, 'copilot') }],
    note: null,
  };
}
