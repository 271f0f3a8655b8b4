import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { z } from 'zod';
import { helm, KIND, kubectl } from './cluster.ts';

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        labels: z.record(z.string(), z.string()),
        deletionTimestamp: z.string().optional(),
      }),
      status: z.object({
        podIP: z.string().optional(),
        phase: z.string(),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
        containerStatuses: z
          .array(
            z.object({
              restartCount: z.number(),
              lastState: z.object({ terminated: z.object({ reason: z.string() }).optional() }).default({}),
            }),
          )
          .default([]),
      }),
    }),
  ),
});

/** The services of a release. */
export const SERVICES = ['ingress', 'auth', 'ledger', 'router', 'console'];

/** A pod of a release. */
export interface Pod {
  name: string;
  component: string;
  ip: string;
  ready: boolean;
  /** Whether it is terminating. */
  leaving: boolean;
  restarts: number;
  /** Why a container last ended: `OOMKilled`, `Error` and so on. */
  ended: string | undefined;
}

/** Values of a release in addition to those of `make kind-up`. */
export interface ReleaseValues {
  [name: string]: unknown;
}

export interface ReleaseOptions {
  name?: string;
  namespace?: string;
  /** Node port of the ingress, also on this machine. */
  nodePort?: number;
}

/** A release of the chart in its own namespace. */
export class Release {
  readonly name: string;
  readonly namespace: string;
  readonly nodePort: number;

  constructor({ name = 'tollgate', namespace = 'tollgate-test', nodePort = 30_081 }: ReleaseOptions = {}) {
    this.name = name;
    this.namespace = namespace;
    this.nodePort = nodePort;
  }

  /** URL for clients outside of the cluster. */
  get url(): string {
    return `http://127.0.0.1:${this.nodePort}`;
  }

  /** Installs it or upgrades it to these values; resolves when all pods are ready, unless `wait` is false. */
  async install(values: ReleaseValues = {}, { chart = KIND.chart, wait = true } = {}): Promise<void> {
    const folder = makeTemporaryFolder();
    try {
      const file = join(folder.path, 'values.json');
      const expose = { service: { type: 'NodePort', nodePort: this.nodePort } };
      writeFileSync(file, JSON.stringify({ expose, ...values }));
      await helm(
        ...['upgrade', '--install', this.name, chart, '--namespace', this.namespace, '--create-namespace'],
        ...['--values', KIND.values, '--values', file, '--timeout', '5m'],
        ...(wait ? ['--wait', '--wait-for-jobs'] : []),
      );
    } catch (error) {
      throw new Error(`${String(error)}\n${await this.#troubles()}`, { cause: error });
    } finally {
      folder.remove();
    }
  }

  /** The number of its newest revision. */
  async revision(): Promise<number> {
    return z.object({ version: z.int() }).parse(JSON.parse(await this.helm('status', '--output', 'json'))).version;
  }

  helm(command: string, ...args: string[]): Promise<string> {
    return helm(command, this.name, '--namespace', this.namespace, ...args);
  }

  kubectl(...args: string[]): Promise<string> {
    return kubectl('--namespace', this.namespace, ...args);
  }

  /** The full name of a part: `tollgate-auth`. */
  named(component: string): string {
    return this.name.includes('tollgate') ? `${this.name}-${component}` : `${this.name}-tollgate-${component}`;
  }

  async pods(...components: string[]): Promise<Pod[]> {
    const text = await this.kubectl('get', 'pods', '-l', `app.kubernetes.io/instance=${this.name}`, '-o', 'json');
    return pods
      .parse(JSON.parse(text))
      .items.map(({ metadata, status }) => ({
        name: metadata.name,
        component: metadata.labels['app.kubernetes.io/component'] ?? '',
        ip: status.podIP ?? '',
        ready: status.conditions.some((each) => each.type === 'Ready' && each.status === 'True'),
        leaving: metadata.deletionTimestamp !== undefined,
        restarts: status.containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
        ended: status.containerStatuses.map(({ lastState }) => lastState.terminated?.reason).find((reason) => reason),
      }))
      .filter(({ component }) => components.length === 0 || components.includes(component));
  }

  /** Waits until a workload has all its pods in their newest revision. */
  rolledOut(component: string, kind = 'deployment'): Promise<string> {
    return this.kubectl('rollout', 'status', `${kind}/${this.named(component)}`, '--timeout=300s');
  }

  /** Runs a command in a pod of a workload. */
  exec(workload: string, ...command: string[]): Promise<string> {
    return this.kubectl('exec', workload, '--', ...command);
  }

  /** A field of a secret. */
  async secret(name: string, key: string): Promise<string> {
    const text = await this.kubectl('get', 'secret', name, '-o', `jsonpath={.data.${key}}`);
    return Buffer.from(text, 'base64').toString();
  }

  /** Diagnostics of an installation that is not ready: pods, jobs, and their last log lines. */
  async #troubles(): Promise<string> {
    const reported = [await this.kubectl('get', 'pods,jobs,persistentvolumeclaims')];
    for (const { name } of (await this.pods()).filter(({ ready }) => !ready))
      reported.push(`${name}:`, await this.kubectl('logs', name, '--all-containers', '--tail=10').catch(String));
    return reported.join('\n');
  }

  /** Removes it with its namespace. Kills its pods, because an ingress would wait minutes for a removed ledger. */
  async remove(): Promise<void> {
    await kubectl('delete', 'namespace', this.namespace, '--ignore-not-found', '--wait=false');
    await this.kubectl('delete', 'pods', '--all', '--force', '--grace-period=0');
    await kubectl('delete', 'namespace', this.namespace, '--ignore-not-found', '--timeout=400s');
  }
}
