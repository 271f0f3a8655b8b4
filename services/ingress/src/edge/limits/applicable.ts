import type { CachedKey, NodeScope, RateLimits } from '@tollgate/common/keys/index';
import type { Bucket } from '@tollgate/common/limits/index';
import type { ModelLimits } from '../../shared/catalogue/route-table.ts';
import { isDerived } from '../../shared/limits/ceilings.ts';

/** Whose limit it is; `above`: it is above a derived key, which sees nothing of it. */
export type LimitOwner = NodeScope | 'above' | 'account' | 'model' | 'billing';

/** A limit on requests or tokens per minute. */
export interface BucketLimit extends Bucket {
  kind: 'requests' | 'tokens';
  owner: LimitOwner;
}

/** A limit on concurrent requests. */
export interface OpenLimit {
  kind: 'open';
  owner: LimitOwner;
  /** Identifies it among the account's limits. */
  scope: string;
  max: number;
}

export type Limit = BucketLimit | OpenLimit;

/** The limits that apply to a request; most requests have none. */
export interface RequestLimits {
  buckets: readonly BucketLimit[];
  open: readonly OpenLimit[];
}

/** The properties of a request that decide which limits apply. */
export interface LimitedCall {
  /** It calls a model, and so uses tokens. */
  usesTokens: boolean;
  /** Limits of the model it names, if any. */
  model: ModelLimits | undefined;
}

/** The burst of each limit: a bucket holds the refill of this time. */
const BURST_SECONDS = 10;

export const UNLIMITED: RequestLimits = { buckets: [], open: [] };

/** The limits that apply to a request with this key. */
export function limitsOf(
  key: Pick<CachedKey, 'keyId' | 'limits' | 'accountLimits' | 'nodes'>,
  { usesTokens, model }: LimitedCall,
): RequestLimits {
  const isLimited = key.limits !== undefined || key.accountLimits !== undefined || model !== undefined;
  if (!isLimited && key.nodes.every(({ limits }) => limits === undefined)) return UNLIMITED;
  const buckets: BucketLimit[] = [];
  const open: OpenLimit[] = [];
  const add = (owner: LimitOwner, name: string, limits: RateLimits | undefined) => {
    if (limits === undefined) return;
    const { requestsPerMinute, tokensPerMinute, openRequests } = limits;
    if (requestsPerMinute !== undefined) buckets.push(bucket('requests', owner, name, requestsPerMinute));
    if (tokensPerMinute !== undefined && usesTokens) buckets.push(bucket('tokens', owner, name, tokensPerMinute));
    if (openRequests !== undefined) open.push({ kind: 'open', owner, scope: name, max: openRequests });
  };
  const derived = isDerived(key);
  add(derived ? 'above' : 'account', 'account', key.accountLimits);
  for (const { scope, nodeId, limits } of key.nodes)
    add(derived ? 'above' : scope, `${scope === 'key' ? 'key' : 'node'}:${nodeId}`, limits);
  add('key', `key:${key.keyId}`, key.limits);
  if (model !== undefined) add('model', `model:${model.modelId}`, model);
  return { buckets, open };
}

/** The limit of billing endpoints. Their requests count against no other limit. */
export function billingLimits(perMinute: number): RequestLimits {
  return { buckets: [bucket('requests', 'billing', 'billing', perMinute)], open: [] };
}

/** Calls of providers that only count tokens, per account: they are free, so no balance limits them. */
export const COUNTS_PER_MINUTE = 600;

export const COUNTING_LIMITS: RequestLimits = {
  buckets: [bucket('requests', 'account', 'counting', COUNTS_PER_MINUTE)],
  open: [],
};

/** A bucket holds the refill of the burst time, and at least one request. */
function bucket(kind: BucketLimit['kind'], owner: LimitOwner, name: string, perMinute: number): BucketLimit {
  return { kind, owner, bucket: `${name}:${kind}`, perMinute, size: Math.max(1, (perMinute * BURST_SECONDS) / 60) };
}
