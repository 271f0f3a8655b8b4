import type { Route } from '../../shared/catalogue/route-table.ts';
import type { CallCredential } from './call-credential.ts';
import { type Redact, redactor } from './redaction.ts';

/** Headers of a provider whose values are credentials. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** The last redactor of each route, with its secrets. */
const known = new WeakMap<Route, { secrets: readonly string[]; redact: Redact }>();

/** Returns a function that removes these credentials of a deployment and its provider's address from texts. */
export function redactorOf(route: Route, credentials: readonly CallCredential[]): Redact {
  const secrets = secretsOf(route, credentials);
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

function secretsOf({ provider: { headers } }: Route, credentials: readonly CallCredential[]): string[] {
  const secrets: string[] = [];
  for (const credential of credentials) {
    if (credential.kind === 'found') secrets.push(credential.value);
    else if (credential.kind === 'identity') secrets.push(...credential.identity.secrets());
  }
  for (const name in headers) if (SECRET_HEADER.test(name)) secrets.push(headers[name] ?? '');
  return secrets;
}
