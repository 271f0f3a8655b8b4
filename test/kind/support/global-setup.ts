import { requireCluster } from './cluster.ts';
import { Release } from './release.ts';

/** The cluster has to be there; what the tests installed is removed at the end, unless KEEP=1. */
export async function setup(): Promise<void> {
  await requireCluster();
}

export async function teardown(): Promise<void> {
  if (process.env['KEEP'] !== '1') await new Release().remove();
}
