import { baseUrlOf, type Connection, displayName, keyVariable, providerId } from './connection.ts';
import { shellWord } from './quote.ts';
import { exportBlock } from './sdks.ts';
import type { Snippet } from './snippets.ts';

export function claudeCodeSnippet(connection: Connection): Snippet {
  const variables = {
    // Claude Code adds /v1/messages.
    ANTHROPIC_BASE_URL: baseUrlOf(connection),
    // Sent as a bearer token. Claude Code warns of a conflict if ANTHROPIC_API_KEY is set too.
    ANTHROPIC_AUTH_TOKEN: connection.secret ?? '…',
    ANTHROPIC_MODEL: connection.model,
    // Names sessions and does other small tasks.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: connection.model,
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  return {
    id: 'claude-code',
    label: 'Claude Code',
    blocks: [
      {
        title: 'For one terminal',
        language: 'shell',
        code: [...exports, 'unset ANTHROPIC_API_KEY', 'claude'].join('\n'),
      },
      {
        title: '~/.claude/settings.json, to keep it',
        language: 'json',
        code: JSON.stringify({ env: variables }, null, 2),
      },
    ],
    note: 'Put the key in your own settings, not in those of a project, which are committed. /status shows what is in use.',
  };
}

export function codexSnippet(connection: Connection): Snippet {
  const { serviceName, model } = connection;
  const id = providerId(serviceName);
  const config = `model = ${JSON.stringify(model)}
model_provider = "${id}"

[model_providers.${id}]
name = ${JSON.stringify(displayName(serviceName))}
base_url = ${JSON.stringify(`${baseUrlOf(connection)}/v1`)}
env_key = "${keyVariable(serviceName)}"
wire_api = "responses"`;
  const environment = exportBlock(connection);
  return {
    id: 'codex',
    label: 'Codex',
    blocks: [
      { title: '~/.codex/config.toml', language: 'toml', code: config },
      { ...environment, code: `${environment.code}\ncodex` },
    ],
    note: 'The first two lines go above all tables of the file.',
  };
}

export function opencodeSnippet(connection: Connection): Snippet {
  const { serviceName, model, contextWindow, maxOutputTokens } = connection;
  const id = providerId(serviceName);
  const sizes =
    contextWindow === null || maxOutputTokens === null
      ? {}
      : { limit: { context: contextWindow, output: maxOutputTokens } };
  const config = {
    $schema: 'https://opencode.ai/config.json',
    provider: {
      [id]: {
        npm: '@ai-sdk/openai-compatible',
        name: displayName(serviceName),
        options: { baseURL: `${baseUrlOf(connection)}/v1`, apiKey: `{env:${keyVariable(serviceName)}}` },
        models: { [model]: sizes },
      },
    },
    model: `${id}/${model}`,
  };
  const environment = exportBlock(connection);
  return {
    id: 'opencode',
    label: 'opencode',
    blocks: [
      {
        title: 'opencode.json, or ~/.config/opencode/opencode.json',
        language: 'json',
        code: JSON.stringify(config, null, 2),
      },
      { ...environment, code: `${environment.code}\nopencode` },
    ],
    note: null,
  };
}
