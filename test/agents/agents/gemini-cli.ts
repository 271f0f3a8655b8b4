import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://geminicli.com/docs/cli/headless */
export const geminiCli: Agent = {
  name: 'gemini-cli',
  client: 'gemini-cli',
  program: '.bin/gemini',
  model: neutralModel,
  environment: { GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/nonexistent/settings.json' },
  files: {},
  args: (prompt, goOn) => [
    '--skip-trust',
    '--approval-mode',
    'yolo',
    ...(goOn ? ['--resume', 'latest'] : []),
    '--prompt',
    prompt,
  ],
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('write_file', { file_path: path, content: text }),
  readFile: (path) => call('read_file', { file_path: path }),
  viewImage: (path) => call('read_file', { file_path: path }),
};
