import { CredentialState, type DeploymentCredential } from '@tollgate/proto/router';
import type { Route, RouteTable } from '../model-routing/route-table.ts';
import type { CredentialReader } from '../upstream/credentials.ts';

/** Whether this ingress can read the credentials of each deployment. The credentials themselves are not sent anywhere. */
export function credentialStates(table: RouteTable, credentials: CredentialReader): DeploymentCredential[] {
  return table.models.flatMap(({ routes }) => routes.map((route) => stateOf(route, credentials)));
}

function stateOf({ deployment }: Route, credentials: CredentialReader): DeploymentCredential {
  const { deploymentId } = deployment;
  if (deployment.credentials.length === 0) return { deploymentId, state: CredentialState.NOT_NEEDED, detail: '' };
  for (const reference of deployment.credentials) {
    const credential = credentials.read(reference);
    if (credential.kind === 'missing') {
      return { deploymentId, state: CredentialState.MISSING, detail: credential.detail };
    }
  }
  return { deploymentId, state: CredentialState.PRESENT, detail: '' };
}
