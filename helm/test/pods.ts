import { z } from 'zod';
import type { Manifest } from './helm.ts';

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z
          .looseObject({ secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional() })
          .optional(),
      }),
    )
    .default([]),
  securityContext: z.record(z.string(), z.unknown()),
  resources: z.looseObject({ requests: z.record(z.string(), z.unknown()), limits: z.record(z.string(), z.unknown()) }),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});
const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  serviceAccountName: z.string().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.record(z.string(), z.unknown()),
  containers: z.array(container),
  initContainers: z.array(container).optional(),
  volumes: z
    .array(z.looseObject({ name: z.string(), secret: z.looseObject({ secretName: z.string() }).optional() }))
    .default([]),
});
const workload = z.object({
  spec: z.looseObject({
    template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }), spec: podSpec }),
  }),
});

const cronJob = z.object({ spec: z.looseObject({ suspend: z.boolean(), jobTemplate: workload }) });

export type Container = z.output<typeof container>;

/** A workload: its kind, name, labels and pod. */
export interface Workload {
  title: string;
  labels: Record<string, string>;
  pod: z.output<typeof podSpec>;
}

/** All pods of a chart, those of jobs and tests too. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((each) => {
    const title = `${each.kind} ${each.metadata.name}`;
    switch (each.kind) {
      case 'Deployment':
      case 'StatefulSet':
      case 'Job': {
        const { template } = workload.parse(each).spec;
        return [{ title, labels: template.metadata.labels, pod: template.spec }];
      }
      case 'CronJob': {
        const { template } = cronJob.parse(each).spec.jobTemplate.spec;
        return [{ title, labels: template.metadata.labels, pod: template.spec }];
      }
      case 'Pod':
        return [{ title, labels: each.metadata.labels, pod: podSpec.parse(each['spec']) }];
      default:
        return [];
    }
  });
}

/** Value of an environment variable of a workload's first container. */
export function variable({ pod }: Workload, name: string): string | undefined {
  return pod.containers[0]?.env.find((each) => each.name === name)?.value;
}
