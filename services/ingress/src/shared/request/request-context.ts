import type { IncomingHttpHeaders } from 'node:http';
import { type Span, SpanKind } from '@opentelemetry/api';
import type { PriceRule } from '@tollgate/common/billing/price-rules';
import { dashTraceId, newId, timeOfId } from '@tollgate/common/ids';
import type { LimitGrant, LimitNode, SpendingCaps } from '@tollgate/common/keys/index';
import { RequestTracer } from '@tollgate/common/request-tracer';
import { parseTraceparent } from '@tollgate/common/telemetry';
import type { HeldNode } from '@tollgate/proto/ledger';
import type { Request, Response } from 'express';
import type { Admission } from './admission.ts';
import { type Surface, surfaceOf } from './surface.ts';

/** The key a request was authenticated with. */
export interface AuthenticatedKey {
  keyId: string;
  keyName: string;
  accountId: string;
  /** Of the account's entries in Redis. */
  accountTag: string;
  /** Model ids the key may call; empty: all. */
  allowedModels: readonly string[];
  /** Spending caps; undefined for none. */
  caps: SpendingCaps | undefined;
  /** Higher limits of it in windows, and of its sessions. */
  grants: readonly LimitGrant[];
  /** Increases with every change of the key. */
  revision: bigint;
  /** What its requests pass below the account and above the key, root first. */
  nodes: readonly LimitNode[];
  /** The account's discount on list prices, parts per million. */
  discountPpm: number;
  /** Prices of the account's own; empty: list prices. */
  priceRules: readonly PriceRule[];
  /** Attached to charges of the key. */
  tags: Readonly<Record<string, string>>;
  /** The session of the request, if it may spend a limited amount. */
  session: LimitedSession | undefined;
  /** The kind of header that carried the key; it decides the error type of a refused key. */
  credential: 'bearer' | 'header';
}

/** A session, as its client names it, that may spend a limited amount. */
export interface LimitedSession {
  /** The same for all requests of the key that name the session. */
  nodeId: string;
  name: string;
  limitNanos: bigint;
  /** The latest limit of a session counts: a lower one is later than all before, and a granted one later than these. */
  revision: bigint;
}

/** A key that exists, and its account. */
export interface KeyOwner {
  keyId: string;
  /** Empty where only the id is known: auth reports no names of refused keys. */
  keyName: string;
  accountId: string;
}

/** The state of a request from its start. */
export interface RequestContext {
  /** UUIDv7, sent as `x-request-id`; identifies the charge. */
  requestId: string;
  /** 32 hex digits; a valid UUID once dashed. */
  traceId: string;
  /** The dashed trace id, sent as `x-trace-id`. */
  traceUuid: string;
  span: Span;
  surface: Surface;
  clientIds: ClientIds;
  /** Unix milliseconds. */
  startedAtMs: number;
  /** The same moment on the monotonic clock. */
  startedAt: number;
  key: AuthenticatedKey | undefined;
  /** Whose key was presented, refused ones included, once that is known. */
  owner: KeyOwner | undefined;
  /** Whether the request has a charge, even one of no cost. */
  isCharged: boolean;
  /** The request's admission and what it has taken of its limits, once its key is known. */
  admission: Admission | undefined;
  /** The share that is left of the rate limit that its headers report; 1 without rate limits. */
  limitLeft: number;
}

/** Values that Express keeps for one request. */
export interface Locals {
  context: RequestContext;
  /** The decompressed body, empty if there is none. */
  body: Buffer;
  /** Pattern of the endpoint that serves the request, for logs and metrics. */
  route: string | undefined;
}

export type TollgateRequest = Request<Record<string, string>>;
export type TollgateResponse = Response<unknown, Locals & Record<string, unknown>>;

const tracer = new RequestTracer('tollgate-ingress');

/**
 * Creates the ids and the span of a request. A client's `traceparent` is linked, and continued only with
 * `trustTraceparent`.
 */
export function openRequestContext(req: TollgateRequest, trustTraceparent: boolean): RequestContext {
  const header = req.headers.traceparent;
  const remote = typeof header === 'string' ? parseTraceparent(header) : undefined;
  const origin = trustTraceparent ? { parent: remote, link: undefined } : { parent: undefined, link: remote };
  const path = req.path;
  const span = tracer.startRequest(req.method, SpanKind.SERVER, origin);
  const { traceId } = span.spanContext();
  const requestId = newId();
  return {
    requestId,
    traceId,
    traceUuid: dashTraceId(traceId),
    span,
    surface: surfaceOf(path),
    clientIds: clientIdsOf(req.headers),
    // The ledger stores charges by the time in their id: the start is that time, even if the clock was set since.
    startedAtMs: timeOfId(requestId),
    startedAt: performance.now(),
    key: undefined,
    owner: undefined,
    isCharged: false,
    admission: undefined,
    limitLeft: 1,
  };
}

/** A parameter of the request's path. Express splits a wildcard at slashes and decodes each part. */
export function pathParameter(req: TollgateRequest, name: string): string {
  const value: unknown = req.params[name];
  return Array.isArray(value) ? value.join('/') : String(value ?? '');
}

/** The key of an authenticated request. */
export function keyOf(context: RequestContext): AuthenticatedKey {
  if (context.key === undefined) throw new Error('the request has not been authenticated');
  return context.key;
}

/** What a request of a key passes above it, and its session below it, for its charge. */
export function heldNodesOf({ nodes, session }: Pick<AuthenticatedKey, 'nodes' | 'session'>): HeldNode[] {
  const held = nodes.map(({ nodeId, name, scope }): HeldNode => ({ nodeId, name, scope, caps: [] }));
  if (session !== undefined) held.push({ nodeId: session.nodeId, name: session.name, scope: 'session', caps: [] });
  return held;
}

/** The client's own names for its conversation and its agents, as recorded with charges. Empty: not sent. */
export interface ClientIds {
  clientSessionId: string;
  agentId: string;
  parentAgentId: string;
}

/** Any client can send the first of each; the others are those of Claude Code, and of Codex (before and since 2026). */
const SESSION_HEADERS = ['x-tollgate-session', 'x-claude-code-session-id', 'session-id', 'session_id'] as const;
const AGENT_HEADERS = ['x-tollgate-agent', 'x-claude-code-agent-id'] as const;
const PARENT_AGENT_HEADERS = ['x-tollgate-parent-agent', 'x-claude-code-parent-agent-id'] as const;

/** At most 100 printable characters of ASCII. The journal relies on their being text (see `readSegment`). */
const PRINTABLE = /^[\x20-\x7e]{1,100}$/;

/** Reads the ids of a request. A value that is too long or malformed counts as not sent. */
export function clientIdsOf(headers: IncomingHttpHeaders): ClientIds {
  return {
    clientSessionId: firstOf(headers, SESSION_HEADERS),
    agentId: firstOf(headers, AGENT_HEADERS),
    parentAgentId: firstOf(headers, PARENT_AGENT_HEADERS),
  };
}

function firstOf(headers: IncomingHttpHeaders, names: readonly string[]): string {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && PRINTABLE.test(value)) return value;
  }
  return '';
}
