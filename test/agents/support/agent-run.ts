import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import type { Agent } from '../agents/agent.ts';
import type { PrintedSetup } from './client-setup.ts';
import type { LoopbackOnly } from './loopback-only.ts';
import { type BoundedRun, runBounded } from './run-bounded.ts';
import type { CellFolders } from './workspace.ts';

/** Time limit of one run of an agent. */
const RUN_MS = 90_000;
const PACKAGES = join(CHECKOUT, '.cache/agents-test/clients/node_modules');

/** Writes the files of a setup into the home folder, and the agent's program into its `bin`. */
export function prepareHome(agent: Agent, setup: PrintedSetup, { home }: CellFolders): void {
  mkdirSync(join(home, 'bin'), { recursive: true });
  const [command = ''] = setup.shell.split('\n').at(-1)?.split(' ') ?? [];
  symlinkSync(join(PACKAGES, agent.program), join(home, 'bin', command));
  for (const [path, text] of Object.entries({ ...setup.files, ...agent.files })) {
    const file = path.replace(/^~/, home);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Runs an agent by the shell lines of its setup, with the arguments for a prompt after its command. */
export function runAgent(given: {
  agent: Agent;
  setup: PrintedSetup;
  folders: CellFolders;
  loopback: LoopbackOnly;
  prompt: string;
  goOn: boolean;
}): Promise<BoundedRun> {
  const { agent, setup, folders, loopback } = given;
  const script = `${setup.shell} "$@"`;
  return runBounded({
    ...loopback.wrap('sh', ['-c', script, agent.name, ...agent.args(given.prompt, given.goOn)]),
    input: agent.readsInput === true ? given.prompt : '',
    cwd: folders.work,
    env: {
      PATH: [join(folders.home, 'bin'), dirname(process.execPath), '/usr/local/bin:/usr/bin:/bin'].join(':'),
      HOME: folders.home,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      ...loopback.env,
      ...agent.environment,
    },
    timeoutMs: RUN_MS,
  });
}
