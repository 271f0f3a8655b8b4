import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://opencode.ai/docs/cli */
export const opencode: Agent = {
  name: 'opencode',
  client: 'opencode',
  program: `opencode-linux-${process.arch}/bin/opencode`,
  model: neutralModel,
  environment: {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  },
  files: {},
  // It puts quotation marks around arguments with spaces.
  readsInput: true,
  args: (_, goOn) => ['run', '--auto', ...(goOn ? ['--continue'] : [])],
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('write', { filePath: path, content: text }),
  readFile: (path) => call('read', { filePath: path }),
  viewImage: (path) => call('read', { filePath: path }),
};
