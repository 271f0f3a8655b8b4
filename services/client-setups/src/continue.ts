import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, displayName, KEY_PLACEHOLDER } from './connection.ts';

export function continueSetup(connection: Connection): ClientSetup {
  const { serviceName, secret, model, contextWindow, maxOutputTokens, inputModalities } = connection;
  const lines = [
    `name: ${displayName(serviceName)}`,
    'version: 1.0.0',
    'schema: v1',
    'models:',
    `  - name: ${JSON.stringify(model)}`,
    '    provider: anthropic',
    `    model: ${JSON.stringify(model)}`,
    `    apiBase: ${baseUrlOf(connection)}/v1/`,
    `    apiKey: ${secret ?? KEY_PLACEHOLDER}`,
    '    roles: [chat, edit, apply]',
    `    capabilities: [tool_use${inputModalities.includes('image') ? ', image_input' : ''}]`,
    ...(contextWindow === null && maxOutputTokens === null ? [] : ['    defaultCompletionOptions:']),
    ...(contextWindow === null ? [] : [`      contextLength: ${contextWindow}`]),
    ...(maxOutputTokens === null ? [] : [`      maxTokens: ${maxOutputTokens}`]),
  ];
  return {
    id: 'continue',
    label: 'Continue',
    blocks: [
      {
        title: '~/.continue/config.yaml',
        language: 'yaml',
        code: lines.join('\n'),
        file: '~/.continue/config.yaml',
      },
      { title: 'Command line', language: 'shell', code: 'cn --config ~/.continue/config.yaml' },
    ],
    note: null,
  };
}
