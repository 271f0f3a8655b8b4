import type { Finding, Path } from './problem.ts';
import { type DeploymentEntry, isEmbeddingModel, type ModelEntry, PROTOCOLS } from './schema.ts';

type Protocol = (typeof PROTOCOLS)[number];

/** The client protocols that some deployment serves: all if one of them names none. */
export function servedProtocols(deployments: readonly Pick<DeploymentEntry, 'protocols'>[]): readonly Protocol[] {
  if (deployments.some(({ protocols }) => protocols === undefined)) return PROTOCOLS;
  return PROTOCOLS.filter((protocol) => deployments.some(({ protocols }) => protocols?.includes(protocol)));
}

/** Checks that each protocol of a model is served, and that deployments serve only those. */
export function checkProtocols(entry: ModelEntry, path: Path): Finding[] {
  const findings: Finding[] = [];
  for (const [at, { protocols }] of entry.deployments.entries()) {
    if (protocols === undefined) continue;
    const deploymentPath = [...path, 'deployments', at, 'protocols'];
    if (isEmbeddingModel(entry)) {
      findings.push({ path: deploymentPath, message: 'is not allowed for an embedding model' });
    } else if (entry.protocols !== undefined) {
      const other = protocols.find((protocol) => !entry.protocols?.includes(protocol));
      if (other !== undefined) {
        findings.push({ path: deploymentPath, message: `has ${other}, which is not one of the model’s protocols` });
      }
    }
  }
  const served = servedProtocols(entry.deployments);
  for (const [at, protocol] of (entry.protocols ?? []).entries()) {
    if (served.includes(protocol)) continue;
    const message = `${protocol} is served by no deployment: add it to the protocols of one, or leave those out at one`;
    findings.push({ path: [...path, 'protocols', at], message });
  }
  return findings;
}
