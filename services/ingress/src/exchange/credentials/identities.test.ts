import { createServer } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { createLogger } from '@tollgate/common/logging';
import { AuthScheme } from '@tollgate/proto/router';
import { afterEach, expect, it, vi } from 'vitest';
import { providerForTests } from '../../../testing/route-fixture.ts';
import { CredentialReader } from './credentials.ts';
import { Identities } from './identities.ts';
import type { OutgoingCall } from './identity.ts';

const CALL: OutgoingCall = {
  origin: 'https://models.example',
  path: '/v1/chat/completions',
  headers: {},
  body: Buffer.from('{}'),
  pause: async () => undefined,
};
const REFUSAL = {
  error: 'invalid_client',
  error_description: "AADSTS700016: Application 'client-1' was not found in the directory 'Contoso'.",
};

const server = createServer((_request, response) => {
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(JSON.stringify(REFUSAL));
});
afterEach(() => stopListening(server, { lingerMs: 0, graceMs: 0 }));

it('counts and logs each failure to obtain a credential, without what names the application', async () => {
  const env = {
    AZURE_AUTHORITY_HOST: `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    ENTRA_SECRET: 'client-secret-1',
  };
  const logger = createLogger('test', 'silent');
  const logged = vi.spyOn(logger, 'error');
  const missingCredential = vi.fn();
  const credentials = new CredentialReader(env, Date.now);
  const identities = new Identities({ credentials, env, now: Date.now, logger, metrics: { missingCredential } });
  const provider = providerForTests({ providerId: 'azure', authScheme: AuthScheme.ENTRA });
  const found = identities.of(provider, { source: { $case: 'environmentVariable', value: 'ENTRA_SECRET' } });
  if (found.kind === 'missing') throw new Error(found.detail);
  const detail = 'Entra issued no token: status 401, invalid_client (AADSTS700016)';
  expect(await found.identity.authorize(CALL)).toEqual({ kind: 'missing', detail });
  // Until the next attempt is due, calls fail without one.
  expect(await found.identity.authorize(CALL)).toEqual({ kind: 'missing', detail });
  expect(missingCredential.mock.calls).toEqual([['azure']]);
  expect(logged.mock.calls).toEqual([[{ provider: 'azure', detail }, 'no credential of the cloud was obtained']]);
  identities.stop();
});
