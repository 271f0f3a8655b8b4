import { neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://pi.dev/docs/cli */
export const pi: Agent = {
  name: 'pi',
  client: 'pi',
  program: '.bin/pi',
  model: neutralModel,
  environment: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
  files: {},
  args: (prompt, goOn) => [...(goOn ? ['--continue'] : []), '--print', '--', prompt],
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('write', { path, content: text }),
  readFile: (path) => call('read', { path }),
  viewImage: (path) => call('read', { path }),
};
