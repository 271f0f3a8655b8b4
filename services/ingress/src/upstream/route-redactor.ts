import type { Route } from '../model-routing/route-table.ts';
import { type CredentialSources, credentialsFor } from './call-credential.ts';
import { type Redact, redactor } from './redaction.ts';

/** Headers of a provider whose values are credentials. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** The last redactor of each route, with its secrets. */
const known = new WeakMap<Route, { secrets: readonly string[]; redact: Redact }>();

/** Returns a function that removes all current credentials of a deployment and its provider's address from texts. */
export function redactorOf(sources: CredentialSources, route: Route): Redact {
  const secrets = secretsOf(sources, route);
  const last = known.get(route);
  if (
    last !== undefined &&
    last.secrets.length === secrets.length &&
    secrets.every((one, at) => one === last.secrets[at])
  ) {
    return last.redact;
  }
  const redact = redactor(secrets, route.provider.baseUrl);
  known.set(route, { secrets, redact });
  return redact;
}

function secretsOf(sources: CredentialSources, route: Route): string[] {
  const { provider } = route;
  const keys = credentialsFor(sources, route).flatMap((credential) => {
    if (credential.kind === 'found') return [credential.value];
    return credential.kind === 'identity' ? credential.identity.secrets() : [];
  });
  const headers = Object.entries(provider.headers).flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? [value] : [],
  );
  return [...keys, ...headers];
}
