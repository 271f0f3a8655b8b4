import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://docs.continue.dev/cli/overview */
export const continueCli: Agent = {
  name: 'continue',
  client: 'continue',
  program: '.bin/cn',
  model: neutralModel,
  environment: { CONTINUE_TELEMETRY_ENABLED: '0' },
  files: {},
  args: (prompt, goOn) => [...(goOn ? ['--resume'] : []), '--auto', '--print', prompt],
  keepsReasoning: 'none',
  writeFile: (path, text) => call('Write', { filepath: path, content: text }),
  readFile: (path) => call('Read', { filepath: path }),
  viewImage: (path) => call('Read', { filepath: path }),
};
