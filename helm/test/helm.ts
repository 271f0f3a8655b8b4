import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** The chart's folder. */
export const CHART = fileURLToPath(new URL('../tollgate', import.meta.url));
const TOOL = fileURLToPath(new URL('../../deploy/tools/tool', import.meta.url));
/** The Kubernetes version to render for; a helm built from source reports a very old one. */
const KUBERNETES = '1.34.0';
const NAMESPACE = 'gateway';

/** The fields that every resource has. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type Manifest = z.output<typeof manifest>;

const MAX_OUTPUT = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;

let found: string | undefined;

/** The path of the pinned version of helm. */
function helm(): string {
  found ??= execFileSync(TOOL, ['helm'], { encoding: 'utf8' }).trim();
  return found;
}

/** Runs helm. */
export function runHelm(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(helm(), args, MAX_OUTPUT);
  return { status, stdout, stderr };
}

export interface RenderOptions {
  /** A file of ci/, without `-values.yaml`. */
  values?: string;
  /** Further values over it. */
  set?: Record<string, unknown>;
  /** Renders as in `helm upgrade` instead of `helm install`. */
  upgrade?: boolean;
}

const rendered = new Map<string, Manifest[]>();

/** Renders the chart, once for each set of options; throws helm's error if it fails. */
export function render(options: RenderOptions): Manifest[] {
  const way = JSON.stringify(options);
  const manifests = rendered.get(way) ?? renderAnew(options);
  rendered.set(way, manifests);
  return manifests;
}

/** Renders the chart, also what was rendered before. */
export function renderAnew(options: RenderOptions): Manifest[] {
  const { status, stdout, stderr } = runHelm(...templateArguments(options));
  if (status !== 0) throw new Error(stderr);
  return manifestsIn(stdout);
}

/** Renders the chart for a cluster that has a Secret with these texts, which templates look up. */
export async function renderBeside(
  options: RenderOptions,
  secret: string,
  texts: Record<string, string>,
): Promise<Manifest[]> {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const resources = [{ name: 'secrets', kind: 'Secret', namespaced: true, verbs: ['get'] }];
  const answers: Record<string, unknown> = {
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources },
    [`/api/v1/namespaces/${NAMESPACE}/secrets/${secret}`]: {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: secret, namespace: NAMESPACE } },
      data: Object.fromEntries(data),
    },
  };
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url.replace(/\?.*/, '')];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const inCluster = ['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`];
  try {
    const { stdout } = await promisify(execFile)(helm(), [...templateArguments(options), ...inCluster], MAX_OUTPUT);
    return manifestsIn(stdout);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function manifestsIn(yaml: string): Manifest[] {
  return parseAllDocuments(yaml)
    .map((document): unknown => document.toJS())
    .filter((each) => each !== null)
    .map((each) => manifest.parse(each));
}

/** Helm's error for invalid values; throws if it accepts them. */
export function refusal(options: RenderOptions): string {
  const { status, stderr } = runHelm(...templateArguments(options));
  if (status === 0) throw new Error('helm accepts these values');
  return stderr;
}

function templateArguments({ values, set = {}, upgrade = false }: RenderOptions): string[] {
  const args = ['template', 'tollgate', CHART, '--namespace', NAMESPACE, '--kube-version', KUBERNETES];
  if (values !== undefined) args.push('--values', `${CHART}/ci/${values}-values.yaml`);
  for (const [path, value] of Object.entries(set)) args.push('--set-json', `${path}=${JSON.stringify(value)}`);
  return upgrade ? [...args, '--is-upgrade'] : args;
}

/** The files of ci/, by name. */
export const CI_VALUES = readdirSync(`${CHART}/ci`).map((file) => file.replace(/-values\.yaml$/, ''));

/** The one resource of a kind and name. */
export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name === name);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} resources are ${kind} ${name}`);
  return only;
}
