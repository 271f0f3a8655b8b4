import type { Route } from '../model-routing/route-table.ts';
import type { CredentialReader } from './credentials.ts';
import { type Redact, redactor } from './redaction.ts';

/** Headers of a provider whose values are credentials. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** The last redactor of each route, with its secrets. */
const known = new WeakMap<Route, { secrets: readonly string[]; redact: Redact }>();

/** Returns a function that removes all current credentials of a deployment and its provider's address from texts. */
export function redactorOf(credentials: CredentialReader, route: Route): Redact {
  const secrets = secretsOf(credentials, route);
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

function secretsOf(credentials: CredentialReader, { deployment, provider }: Route): string[] {
  const keys = deployment.credentials.flatMap((reference) => {
    const credential = credentials.read(reference);
    return credential.kind === 'found' ? [credential.value] : [];
  });
  const headers = Object.entries(provider.headers).flatMap(([name, value]) =>
    SECRET_HEADER.test(name) ? [value] : [],
  );
  return [...keys, ...headers];
}
