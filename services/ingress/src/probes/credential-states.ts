import { CredentialState, type DeploymentCredential } from '@tollgate/proto/router';
import { type CredentialSources, credentialsFor } from '../exchange/upstream/call-credential.ts';
import type { Route, RouteTable } from '../shared/catalogue/route-table.ts';

/** Whether this ingress can read the credentials of each deployment. The credentials themselves are not sent anywhere. */
export function credentialStates(table: RouteTable, sources: CredentialSources): DeploymentCredential[] {
  return table.models.flatMap(({ routes }) => routes.map((route) => stateOf(route, sources)));
}

/** Short-lived credentials of a cloud are present: a call shows whether they can be obtained. */
function stateOf(route: Route, sources: CredentialSources): DeploymentCredential {
  const { deploymentId } = route.deployment;
  const credentials = credentialsFor(sources, route);
  for (const credential of credentials) {
    if (credential.kind === 'missing') {
      return { deploymentId, state: CredentialState.MISSING, detail: credential.detail };
    }
  }
  const isNeeded = credentials.some(({ kind }) => kind !== 'none');
  return { deploymentId, state: isNeeded ? CredentialState.PRESENT : CredentialState.NOT_NEEDED, detail: '' };
}
