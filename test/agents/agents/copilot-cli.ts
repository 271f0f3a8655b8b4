import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://docs.github.com/copilot/how-tos/copilot-cli */
export const copilotCli: Agent = {
  name: 'copilot-cli',
  client: 'copilot-cli',
  program: '.bin/copilot',
  model: neutralModel,
  environment: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
  files: {},
  args: (prompt, goOn) => [
    ...(goOn ? ['--continue'] : []),
    '--allow-all-tools',
    '--allow-all-paths',
    '--prompt',
    prompt,
  ],
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('create', { path, file_text: text }),
  readFile: (path) => call('view', { path }),
  viewImage: (path) => call('view', { path }),
};
