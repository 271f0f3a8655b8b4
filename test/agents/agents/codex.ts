import { codeModeModel, modelKnownToCodex, neutralModel } from '../support/catalogue.ts';
import { type Agent, type Call, call } from './agent.ts';

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
  keepsReasoning: 'turn',
  writeFile: (path, text) => call('exec_command', { cmd: writing(path, text) }),
  readFile: (path) => call('exec_command', { cmd: reading(path) }),
  viewImage: (path) => call('view_image', { path }),
};

export const codexKnownModel: Agent = { ...codex, name: 'codex-known-model', model: modelKnownToCodex };

/** In code mode the other tools are functions of a script, which prints what the model shall see. */
export const codexCodeMode: Agent = {
  ...codex,
  name: 'codex-code-mode',
  model: codeModeModel,
  writeFile: (path, text) => script(`text(await tools.exec_command({ cmd: ${JSON.stringify(writing(path, text))} }));`),
  readFile: (path) => script(`text(await tools.exec_command({ cmd: ${JSON.stringify(reading(path))} }));`),
  viewImage: (path) => script(`image(await tools.view_image({ path: ${JSON.stringify(path)} }));`),
};

function script(source: string): Call {
  return { name: 'functions__exec', arguments: source, custom: true };
}

function writing(path: string, text: string): string {
  return `printf %s ${quoted(text)} > ${quoted(path)}`;
}

function reading(path: string): string {
  return `cat ${quoted(path)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
