import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://code.claude.com/docs/en/headless */
export const claudeCode: Agent = {
  name: 'claude-code',
  client: 'claude-code',
  program: `@anthropic-ai/claude-code-linux-${process.arch}/claude`,
  model: neutralModel,
  environment: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  },
  files: {},
  args: (prompt, goOn) => [
    '--print',
    ...(goOn ? ['--continue'] : []),
    '--permission-mode',
    'acceptEdits',
    '--allowedTools=Read,Write',
    '--',
    prompt,
  ],
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('Write', { file_path: path, content: text }),
  readFile: (path) => call('Read', { file_path: path }),
  viewImage: (path) => call('Read', { file_path: path }),
};
