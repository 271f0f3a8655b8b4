import type { ClientSetup } from './client-setup.ts';
import { baseUrlOf, type Connection, KEY_PLACEHOLDER } from './connection.ts';
import { exportLines } from './environment.ts';

export function claudeCodeSetup(connection: Connection): ClientSetup {
  const variables = {
    // Claude Code adds /v1/messages.
    ANTHROPIC_BASE_URL: baseUrlOf(connection),
    // Sent as a bearer token. Claude Code warns of a conflict if ANTHROPIC_API_KEY is set too.
    ANTHROPIC_AUTH_TOKEN: connection.secret ?? KEY_PLACEHOLDER,
    ANTHROPIC_MODEL: connection.model,
    // Names sessions and does other small tasks.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: connection.model,
    // Of models that it does not know by name. Otherwise it compacts conversations too late, or too early.
    ...(connection.contextWindow !== null && { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(connection.contextWindow) }),
  };
  return {
    id: 'claude-code',
    label: 'Claude Code',
    blocks: [
      {
        title: 'For one terminal',
        language: 'shell',
        code: exportLines(variables, 'unset ANTHROPIC_API_KEY', 'claude'),
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
