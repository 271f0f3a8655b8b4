import { modelKnownToCodex, neutralModel } from '../support/catalogue.ts';
import { type Agent, call } from './agent.ts';

/** https://developers.openai.com/codex/noninteractive */
export const codex: Agent = {
  name: 'codex',
  client: 'codex',
  program: '.bin/codex',
  model: neutralModel,
  environment: {},
  files: {},
  args: (prompt, goOn) => [
    '--config',
    'analytics.enabled=false',
    '--config',
    'check_for_update_on_startup=false',
    'exec',
    ...(goOn ? ['resume', '--last'] : []),
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '--',
    prompt,
  ],
  writeFile: (path, text) => call('exec_command', { cmd: `printf %s ${quoted(text)} > ${quoted(path)}` }),
  readFile: (path) => call('exec_command', { cmd: `cat ${quoted(path)}` }),
  viewImage: (path) => call('view_image', { path }),
};

export const codexKnownModel: Agent = { ...codex, name: 'codex-known-model', model: modelKnownToCodex };

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
