import type { CloudIdentity } from '@tollgate/proto/router';
import type { Identity, IdentityContext, OutgoingCall } from './identity.ts';
import { type Minted, RefreshedValue } from './refreshed-value.ts';
import type { AwsKeys } from './sigv4.ts';

/** Keys without an end, as in variables, are read again after this time. */
const UNLIMITED_MS = 15 * 60_000;

/**
 * An AWS identity: signs calls with the keys that AWS's libraries find in the environment: variables, a profile, the
 * web identity of a Kubernetes service account, EKS Pod Identity, or the instance's role. They are loaded when needed.
 */
export function awsIdentity(cloud: CloudIdentity, { now, onFailure }: IdentityContext): Identity {
  const { region, profile } = cloud;
  const service = cloud.service === '' ? 'bedrock' : cloud.service;
  const keys = new RefreshedValue({ mint: keysSource(region, profile, now), now, onFailure });
  return {
    authorize: async (call: OutgoingCall) => {
      const obtained = await keys.get();
      if (obtained.kind === 'missing') return obtained;
      const { signatureHeaders } = await import('./sigv4.ts');
      const signed = { region, service, keys: obtained.value };
      return { kind: 'headers', headers: await signatureHeaders(call, signed, new Date(now()), call.pause) };
    },
    secrets: () => {
      const { accessKeyId, secretAccessKey, sessionToken } = keys.last ?? {};
      return [accessKeyId, secretAccessKey, sessionToken].filter((text) => text !== undefined);
    },
    refused: (headers) => {
      const { last } = keys;
      if (last !== undefined && headers['authorization']?.includes(`Credential=${last.accessKeyId}/`)) {
        keys.discard(last);
      }
    },
    prepare: () => void keys.get(),
    close: () => keys.close(),
  };
}

function keysSource(region: string, profile: string, now: () => number): () => Promise<Minted<AwsKeys>> {
  let find: ReturnType<typeof import('@aws-sdk/credential-provider-node').defaultProvider> | undefined;
  return async () => {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    find ??= defaultProvider({ clientConfig: { region }, ...(profile !== '' && { profile }) });
    const { expiration, accessKeyId, secretAccessKey, sessionToken } = await find({ forceRefresh: true });
    return {
      value: { accessKeyId, secretAccessKey, sessionToken },
      expiresAtMs: expiration?.getTime() ?? now() + UNLIMITED_MS,
    };
  };
}
