import { waitUntil } from '@tollgate/local';
import { z } from 'zod';
import { KIND, onNode } from './cluster.ts';
import type { Release } from './release.ts';

const containers = z.object({
  status: z.object({
    containerStatuses: z.array(z.object({ containerID: z.string(), restartCount: z.number() })).min(1),
  }),
});

/** Kills the process of a pod, as a crash or the kernel would. Its container restarts with the pod's volumes. */
export async function killProcess(release: Release, pod: string): Promise<void> {
  const [container] = containers.parse(JSON.parse(await release.kubectl('get', 'pod', pod, '-o', 'json'))).status
    .containerStatuses;
  const id = container?.containerID.replace('containerd://', '') ?? '';
  const pid = await onNode(
    KIND.node,
    'crictl',
    'inspect',
    '--output',
    'go-template',
    '--template',
    '{{.info.pid}}',
    id,
  );
  await onNode(KIND.node, 'kill', '-9', pid.trim());
}

/** Waits until a pod's container has restarted and is ready. */
export async function restarted(release: Release, pod: string, before: number): Promise<void> {
  const isBack = async () => {
    const found = (await release.pods()).find(({ name }) => name === pod);
    return found !== undefined && found.restarts > before && found.ready;
  };
  await waitUntil(isBack, { what: `${pod} is back`, timeoutMs: 120_000, intervalMs: 500 });
}
