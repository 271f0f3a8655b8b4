import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '@tollgate/common/errors';
import type { CredentialReference } from '@tollgate/proto/router';
import type { Route } from '../../shared/catalogue/route-table.ts';
import { type Identities, referencesOf, takesIdentity } from './identities.ts';
import type { Authorization, Identity, OutgoingCall } from './identity.ts';

/** How long a file's content is used before the file is checked again. */
const FILE_CHECK_MS = 1_000;
const MAX_CREDENTIAL_BYTES = 16 * 1024;

export type Credential = { kind: 'found'; value: string } | { kind: 'missing'; detail: string };

interface CachedFile {
  value: string;
  modifiedMs: number;
  checkedMs: number;
}

/**
 * Reads provider credentials from the sources in the catalogue. A file is read again when it changes, so that a secret
 * can be rotated without a restart.
 */
export class CredentialReader {
  readonly #env: NodeJS.ProcessEnv;
  readonly #now: () => number;
  readonly #files = new Map<string, CachedFile>();

  constructor(env: NodeJS.ProcessEnv, now: () => number) {
    this.#env = env;
    this.#now = now;
  }

  read(reference: CredentialReference): Credential {
    switch (reference.source?.$case) {
      case 'environmentVariable':
        return this.#fromEnvironment(reference.source.value);
      case 'file':
        return this.#fromFile(reference.source.value);
      case undefined:
        return { kind: 'missing', detail: 'the credential reference is empty' };
      default:
        return reference.source satisfies never;
    }
  }

  #fromEnvironment(name: string): Credential {
    const value = this.#env[name];
    if (value === undefined || value === '')
      return { kind: 'missing', detail: `environment variable ${name} is not set` };
    return { kind: 'found', value };
  }

  #fromFile(path: string): Credential {
    const now = this.#now();
    const cached = this.#files.get(path);
    if (cached !== undefined && now - cached.checkedMs < FILE_CHECK_MS) return { kind: 'found', value: cached.value };
    try {
      const { mtimeMs, size } = statSync(path);
      if (size > MAX_CREDENTIAL_BYTES) return { kind: 'missing', detail: `${path} is too large for a credential` };
      const value = cached?.modifiedMs === mtimeMs ? cached.value : readFileSync(path, 'utf8').trim();
      this.#files.set(path, { value, modifiedMs: mtimeMs, checkedMs: now });
      return value === '' ? { kind: 'missing', detail: `${path} is empty` } : { kind: 'found', value };
    } catch (error) {
      return { kind: 'missing', detail: `${path} cannot be read: ${messageOf(error)}` };
    }
  }
}

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
