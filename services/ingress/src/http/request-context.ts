import { type Link, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { dashTraceId, newId, timeOfId } from '@tollgate/common/ids';
import type { KeyCaps } from '@tollgate/common/keys/index';
import { parseTraceparent } from '@tollgate/common/telemetry';
import type { Request, Response } from 'express';
import type { Admission } from '../limits/index.ts';
import { type Surface, surfaceOf } from './surface.ts';

/** The key a request was authenticated with. */
export interface AuthenticatedKey {
  keyId: string;
  keyName: string;
  accountId: string;
  /** Model ids the key may call; empty: all. */
  allowedModels: readonly string[];
  /** The most the key may spend; undefined: no caps. */
  caps: KeyCaps | undefined;
  /** Grows with every change of the caps. */
  revision: bigint;
  /** The account's discount on list prices, parts per million. */
  discountPpm: number;
  /** What charges of the key are marked with. */
  tags: Readonly<Record<string, string>>;
  /** The kind of header the key came in, which decides what a refusal of it is called. */
  credential: 'bearer' | 'header';
}

/** What is known of a request from its first moment on. */
export interface RequestContext {
  /** UUIDv7, sent as `x-request-id`; names the charge. */
  requestId: string;
  /** 32 hex digits; a valid UUID once dashed. */
  traceId: string;
  /** The dashed trace id, sent as `x-trace-id`. */
  traceUuid: string;
  span: Span;
  surface: Surface;
  /** Unix milliseconds. */
  startedAtMs: number;
  /** The same moment on the monotonic clock. */
  startedAt: number;
  key: AuthenticatedKey | undefined;
  /** The request's place among the open ones and what it has taken of its limits, once its key is known. */
  admission: Admission | undefined;
}

/** Values that express keeps for one request. */
export interface Locals {
  context: RequestContext;
  /** The decoded body, empty when there was none. */
  body: Buffer;
  /** Pattern of the endpoint that serves the request, for logs and metrics. */
  route: string | undefined;
}

export type TollgateRequest = Request<Record<string, string>>;
export type TollgateResponse = Response<unknown, Locals & Record<string, unknown>>;

const tracer = trace.getTracer('tollgate-ingress');

/**
 * Gives a request its ids and its span. The trace is our own: a client's `traceparent` is linked, and followed only where
 * `trustTraceparent` says so.
 */
export function openRequestContext(req: TollgateRequest, trustTraceparent: boolean): RequestContext {
  const header = req.headers.traceparent;
  const remote = typeof header === 'string' ? parseTraceparent(header) : undefined;
  const links: Link[] = remote === undefined || trustTraceparent ? [] : [{ context: remote }];
  const parent = remote !== undefined && trustTraceparent ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  const path = req.path;
  const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, links }, parent);
  const { traceId } = span.spanContext();
  const requestId = newId();
  return {
    requestId,
    traceId,
    traceUuid: dashTraceId(traceId),
    span,
    surface: surfaceOf(path),
    // The ledger keeps charges by the time inside their id: the start is that time, whatever the clock does meanwhile.
    startedAtMs: timeOfId(requestId),
    startedAt: performance.now(),
    key: undefined,
    admission: undefined,
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
