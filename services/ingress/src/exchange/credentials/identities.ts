import type { Logger } from '@tollgate/common/logging';
import { AuthScheme, type CloudIdentity, type CredentialReference, type Provider } from '@tollgate/proto/router';
import type { Route } from '../../shared/catalogue/route-table.ts';
import type { Metrics } from '../../shared/metrics.ts';
import { awsIdentity } from './aws.ts';
import type { CredentialReader } from './credentials.ts';
import { entraIdentity } from './entra.ts';
import { googleIdentity } from './google.ts';
import type { Identity, IdentityContext } from './identity.ts';
import { withoutAddresses } from './redaction.ts';

const NO_CLOUD: CloudIdentity = { region: '', service: '', profile: '', scope: '', tenant: '', clientId: '' };

interface IdentitiesDependencies {
  credentials: CredentialReader;
  env: NodeJS.ProcessEnv;
  now: () => number;
  logger: Logger;
  metrics: Pick<Metrics, 'missingCredential'>;
}

export type FoundIdentity = { kind: 'identity'; identity: Identity } | { kind: 'missing'; detail: string };

/** The identities of this process at clouds. Deployments with equal settings share one, with its credentials. */
export class Identities {
  readonly #deps: IdentitiesDependencies;
  readonly #known = new Map<string, Identity>();

  constructor(deps: IdentitiesDependencies) {
    this.#deps = deps;
  }

  /**
   * The identity at a provider that takes credentials of a cloud.
   *
   * @param reference where its secret or configuration is; undefined for what the environment has
   */
  of(provider: Provider, reference: CredentialReference | undefined): FoundIdentity {
    const secret = reference === undefined ? undefined : this.#deps.credentials.read(reference);
    if (secret?.kind === 'missing') return secret;
    const key = JSON.stringify([provider.authScheme, provider.cloud, reference, secret?.value]);
    const known = this.#known.get(key);
    if (known !== undefined) return { kind: 'identity', identity: known };
    const identity = createIdentity(provider, secret?.value, this.#context(provider));
    if (identity === undefined) return { kind: 'missing', detail: 'the provider takes no credential of a cloud' };
    this.#known.set(key, identity);
    return { kind: 'identity', identity };
  }

  /** Obtains the credentials of these routes before their first call, and ends identities of others. */
  use(routes: readonly Route[]): void {
    const wanted = new Set<Identity>();
    for (const { provider, deployment } of routes) {
      if (!takesIdentity(provider)) continue;
      for (const reference of referencesOf(deployment.credentials)) {
        const found = this.of(provider, reference);
        if (found.kind === 'identity') wanted.add(found.identity);
      }
    }
    for (const [key, identity] of this.#known) {
      if (wanted.has(identity)) continue;
      identity.close();
      this.#known.delete(key);
    }
    for (const identity of wanted) identity.prepare();
  }

  stop(): void {
    for (const identity of this.#known.values()) identity.close();
    this.#known.clear();
  }

  #context(provider: Provider): IdentityContext {
    const { env, now, logger, metrics } = this.#deps;
    return {
      env,
      now,
      onFailure: (detail) => {
        metrics.missingCredential(provider.providerId);
        logger.error(
          { provider: provider.providerId, detail: withoutAddresses(detail) },
          'no credential of the cloud was obtained',
        );
      },
    };
  }
}

/** Whether calls to a provider are authorized by an identity, not by a credential of the catalogue. */
export function takesIdentity({ authScheme }: Pick<Provider, 'authScheme'>): boolean {
  return authScheme === AuthScheme.AWS_SIGV4 || authScheme === AuthScheme.GOOGLE || authScheme === AuthScheme.ENTRA;
}

/** The references of an identity's secrets; one that is undefined where it has none. */
export function referencesOf(
  credentials: readonly CredentialReference[],
): readonly (CredentialReference | undefined)[] {
  return credentials.length === 0 ? [undefined] : credentials;
}

function createIdentity(
  { authScheme, cloud = NO_CLOUD }: Provider,
  secret: string | undefined,
  context: IdentityContext,
): Identity | undefined {
  switch (authScheme) {
    case AuthScheme.AWS_SIGV4:
      return awsIdentity(cloud, context);
    case AuthScheme.GOOGLE:
      return googleIdentity(cloud, secret, context);
    case AuthScheme.ENTRA:
      return entraIdentity(cloud, secret, context);
    case AuthScheme.UNSPECIFIED:
    case AuthScheme.BEARER:
    case AuthScheme.X_API_KEY:
    case AuthScheme.X_GOOG_API_KEY:
    case AuthScheme.API_KEY:
    case AuthScheme.NONE:
      return undefined;
    default:
      return authScheme satisfies never;
  }
}
