import type { Route } from '../../shared/catalogue/route-table.ts';
import type { Credential, CredentialReader } from './credentials.ts';
import { type Identities, referencesOf, takesIdentity } from './identity/identities.ts';
import type { Authorization, Identity, OutgoingCall } from './identity/identity.ts';

/** What a call to a deployment is authorized with. */
export type CallCredential = Credential | { kind: 'none' } | { kind: 'identity'; identity: Identity };

export interface CredentialSources {
  credentials: CredentialReader;
  identities: Identities;
}

/** Every credential of a deployment, in the order in which they are tried; one of the kind `none` without any. */
export function credentialsFor(
  { credentials, identities }: CredentialSources,
  { provider, deployment }: Route,
): CallCredential[] {
  if (takesIdentity(provider)) {
    return referencesOf(deployment.credentials).map((reference) => identities.of(provider, reference));
  }
  if (deployment.credentials.length === 0) return [{ kind: 'none' }];
  return deployment.credentials.map((reference) => credentials.read(reference));
}

/** Of calls that no identity vouches for. */
const NO_HEADERS: Authorization = { kind: 'headers', headers: {} };

/** The headers that an identity adds to a call. */
export function identityHeaders(
  credential: CallCredential,
  call: OutgoingCall,
): Authorization | Promise<Authorization> {
  return credential.kind === 'identity' ? credential.identity.authorize(call) : NO_HEADERS;
}
