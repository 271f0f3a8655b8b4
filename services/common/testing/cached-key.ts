import type { CachedKey, LimitNode } from '../src/keys/index.ts';

/** An active key without caps, limits and tags, but for the given fields. */
export function cachedKey(fields: Partial<CachedKey> = {}): CachedKey {
  return {
    keyId: 'k',
    keyName: 'n',
    accountId: 'a',
    accountTag: 'abc123',
    expiresAtMs: 0,
    allowedModels: [],
    caps: undefined,
    revision: 1n,
    discountPpm: 0,
    priceRules: [],
    accountRevision: 1n,
    limits: undefined,
    accountLimits: undefined,
    tags: {},
    nodes: [],
    sessionNanos: undefined,
    grants: [],
    ...fields,
  };
}

/** A project without caps, limits and a list of models, but for the given fields. */
export function limitNode(fields: Partial<LimitNode> = {}): LimitNode {
  return {
    scope: 'project',
    nodeId: 'p',
    name: 'backend',
    caps: undefined,
    limits: undefined,
    allowedModels: [],
    revision: 1n,
    grants: [],
    ...fields,
  };
}
