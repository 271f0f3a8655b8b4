import { createLogger } from '@tollgate/common/logging';
import { CredentialReader, type CredentialSources } from '../src/exchange/credentials/credentials.ts';
import { Identities } from '../src/exchange/credentials/identities.ts';

/** The credentials of an ingress with this environment. */
export function credentialSources(env: NodeJS.ProcessEnv): CredentialSources {
  const credentials = new CredentialReader(env, Date.now);
  const logger = createLogger('test', 'silent');
  const metrics = { missingCredential: () => undefined };
  return { credentials, identities: new Identities({ credentials, env, now: Date.now, logger, metrics }) };
}
