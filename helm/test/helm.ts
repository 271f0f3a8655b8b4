import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** The chart's folder. */
export const CHART = fileURLToPath(new URL('../tollgate', import.meta.url));
const TOOL = fileURLToPath(new URL('../../deploy/tools/tool', import.meta.url));
/** The Kubernetes version to render for; a helm built from source reports a very old one. */
const KUBERNETES = '1.34.0';

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

let helm: string | undefined;

/** Runs the pinned version of helm. */
export function runHelm(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  helm ??= execFileSync(TOOL, ['helm'], { encoding: 'utf8' }).trim();
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
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
  const { status, stdout, stderr } = runTemplate(options);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document): unknown => document.toJS())
    .filter((each) => each !== null)
    .map((each) => manifest.parse(each));
}

/** Helm's error for invalid values; throws if it accepts them. */
export function refusal(options: RenderOptions): string {
  const { status, stderr } = runTemplate(options);
  if (status === 0) throw new Error('helm accepts these values');
  return stderr;
}

function runTemplate({ values, set = {}, upgrade = false }: RenderOptions) {
  const args = ['template', 'tollgate', CHART, '--namespace', 'gateway', '--kube-version', KUBERNETES];
  if (values !== undefined) args.push('--values', `${CHART}/ci/${values}-values.yaml`);
  for (const [path, value] of Object.entries(set)) args.push('--set-json', `${path}=${JSON.stringify(value)}`);
  return runHelm(...args, ...(upgrade ? ['--is-upgrade'] : []));
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
