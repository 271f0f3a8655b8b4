import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = `${ROOT}/.cache/kind`;
const COMMAND_MS = 360_000;
const run = promisify(execFile);

/** The files of `make kind-up`: access to its cluster, and chart values for it. */
export const KIND = {
  kubeconfig: `${FOLDER}/kubeconfig`,
  kubectl: `${FOLDER}/kubectl`,
  values: `${FOLDER}/values.yaml`,
  chart: `${ROOT}/helm/tollgate`,
  node: `${process.env['KIND_CLUSTER'] ?? 'tollgate'}-control-plane`,
};

const ENV = { ...process.env, KUBECONFIG: KIND.kubeconfig };
let helmPath: string | undefined;

/** @throws Error with instructions if there is no cluster */
export async function requireCluster(): Promise<void> {
  if (!existsSync(KIND.values)) throw new Error('there is no cluster: run make kind-up');
  await kubectl('get', 'nodes');
}

/** Runs kubectl. @returns its output @throws Error with its error output */
export function kubectl(...args: string[]): Promise<string> {
  return command(KIND.kubectl, args);
}

/** Runs the pinned version of helm. @throws Error with its error output */
export function helm(...args: string[]): Promise<string> {
  helmPath ??= execFileSync(`${ROOT}/deploy/tools/tool`, ['helm'], { encoding: 'utf8' }).trim();
  return command(helmPath, args);
}

/** Applies a manifest. */
export function apply(manifest: object): Promise<string> {
  return command(KIND.kubectl, ['apply', '--filename', '-'], JSON.stringify(manifest));
}

/** Runs a command on a node. */
export function onNode(node: string, ...args: string[]): Promise<string> {
  return command('docker', ['exec', node, ...args]);
}

/** An address of this machine that pods can reach. */
export async function hostAddress(): Promise<string> {
  const format = '{{range .NetworkSettings.Networks}}{{.Gateway}}{{end}}';
  return (await command('docker', ['inspect', KIND.node, '--format', format])).trim();
}

async function command(file: string, args: readonly string[], input = ''): Promise<string> {
  const running = run(file, args, { env: ENV, timeout: COMMAND_MS, maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}
