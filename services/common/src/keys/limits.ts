import { NodeScope as NodeScopeNumber, type RateLimits as RateLimitsMessage } from '@tollgate/proto/auth';
import type { LimitGrant } from './grants.ts';

/** Limits of requests; an absent one does not limit. */
export interface RateLimits {
  requestsPerMinute?: number | undefined;
  /** Input and output together. */
  tokensPerMinute?: number | undefined;
  /** Requests open at the same time. */
  openRequests?: number | undefined;
}

/** The limits of a message of auth. */
export function toRateLimits(message: RateLimitsMessage | undefined): RateLimits | undefined {
  if (message === undefined) return undefined;
  const { requestsPerMinute, tokensPerMinute, openRequests } = message;
  return {
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
    tokensPerMinute: tokensPerMinute === undefined ? undefined : Number(tokensPerMinute),
    openRequests,
  };
}

/** The maximum that a key, or the keys below a node, may spend in a day, week or month of UTC, or in total, nano-dollars. */
export interface SpendingCaps {
  dayNanos?: bigint | undefined;
  weekNanos?: bigint | undefined;
  monthNanos?: bigint | undefined;
  totalNanos?: bigint | undefined;
}

/** What a node between an account and a key is; `key`: a key above a derived one. */
export const NODE_SCOPES = ['project', 'service_account', 'member', 'key'] as const;
export type NodeScope = (typeof NODE_SCOPES)[number];

/** A node of an account's tree, which limits all keys below it together. */
export interface LimitNode {
  scope: NodeScope;
  nodeId: string;
  name: string;
  /** Undefined: no caps. */
  caps: SpendingCaps | undefined;
  /** Undefined: no limits. */
  limits: RateLimits | undefined;
  /** Empty: all. */
  allowedModels: readonly string[];
  /** Grows with every change of the node. */
  revision: bigint;
  /** Higher limits in windows. */
  grants: readonly LimitGrant[];
}

/** The scope of a message of auth; undefined for one that a newer auth may send. */
export function nodeScopeOf(scope: NodeScopeNumber): NodeScope | undefined {
  switch (scope) {
    case NodeScopeNumber.PROJECT:
      return 'project';
    case NodeScopeNumber.SERVICE_ACCOUNT:
      return 'service_account';
    case NodeScopeNumber.MEMBER:
      return 'member';
    case NodeScopeNumber.KEY:
      return 'key';
    case NodeScopeNumber.UNSPECIFIED:
      return undefined;
    default:
      return scope satisfies never;
  }
}
