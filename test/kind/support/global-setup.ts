import { requireCluster } from './cluster.ts';
import { Release } from './release.ts';

/** Requires the cluster; removes what the tests installed, unless KEEP=1. */
export async function setup(): Promise<void> {
  await requireCluster();
}

export async function teardown(): Promise<void> {
  if (process.env['KEEP'] !== '1') await new Release().remove();
}
