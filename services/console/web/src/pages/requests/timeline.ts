import type { Output } from '../../api/client.ts';
import { count, plural } from '../../format/number.ts';

export type Request = Output<'GET /accounts/{account_id}/requests/{id}'>;

/** Something that happened to a request. */
export interface Moment {
  id: 'received' | 'retries' | `attempt-${number}` | 'first_token' | 'ended' | 'refused' | 'committed';
  label: string;
  /** Milliseconds after it was received; null: not known. */
  afterMs: number | null;
  detail: string | null;
}

/** What happened, in order. */
export function timelineOf(request: Request): Moment[] {
  const moments: Moment[] = [{ id: 'received', label: 'Received', afterMs: 0, detail: null }];
  if (request.status === 'refused') {
    return [
      ...moments,
      { id: 'refused', label: 'Refused', afterMs: request.duration_ms, detail: errorDetail(request.refusal) },
    ];
  }
  if (request.attempts.length > 0) moments.push(...request.attempts.map(attemptMoment));
  else if (request.retries > 0) {
    const detail = `${plural(request.retries, 'call')} failed before one succeeded or all were used up`;
    moments.push({ id: 'retries', label: plural(request.retries, 'retry', 'retries'), afterMs: null, detail });
  }
  if (request.first_token_ms !== null) {
    moments.push({ id: 'first_token', label: 'First token', afterMs: request.first_token_ms, detail: null });
  }
  moments.push({
    id: 'ended',
    label: endLabel(request.status),
    afterMs: request.duration_ms,
    detail: endDetail(request),
  });
  moments.push(
    request.settled_at === null
      ? { id: 'committed', label: 'Charge not yet committed', afterMs: null, detail: null }
      : {
          id: 'committed',
          label: 'Charge committed',
          afterMs: Math.max(0, Date.parse(request.settled_at) - Date.parse(request.started_at)),
          detail: null,
        },
  );
  return moments;
}

function attemptMoment(attempt: Request['attempts'][number], index: number): Moment {
  const status = attempt.provider_status === null ? '' : `, HTTP ${attempt.provider_status}`;
  return {
    id: `attempt-${index}`,
    label: `Call to ${attempt.deployment}`,
    afterMs: attempt.started_ms,
    detail: `${attempt.outcome_label}${status}, after ${count(attempt.duration_ms)} ms`,
  };
}

/** The error that the client got; null: it got none. */
function errorDetail(error: { http_status: number | null; error_type: string | null } | null): string | null {
  return error === null || error.http_status === null ? null : `HTTP ${error.http_status}, ${error.error_type}`;
}

function endLabel(status: Exclude<Request['status'], 'refused'>): string {
  switch (status) {
    case 'completed':
      return 'Response ended';
    case 'cancelled':
      return 'Client disconnected';
    case 'failed':
      return 'Failed';
    default:
      return status satisfies never;
  }
}

function endDetail(request: Request): string | null {
  const speed = tokensPerSecond(request);
  const parts = [
    errorDetail(request.failure),
    request.finish_reason === null ? null : `finish reason ${request.finish_reason}`,
    speed === null ? null : `${speed} output tokens a second`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** Speed of the output, of streams that took long enough to measure it. */
export function tokensPerSecond(request: Request): number | null {
  const { first_token_ms: first, duration_ms: end } = request;
  if (!request.streamed || first === null || end === null || end - first < 100) return null;
  const output = request.lines
    .filter((line) => line.bucket === 'output' || line.bucket === 'reasoning')
    .reduce((sum, line) => sum + line.quantity, 0);
  return output === 0 ? null : Math.round((output * 1_000) / (end - first));
}

/** A part of the bar above the timeline. */
export interface Span {
  id: 'waiting' | 'output' | 'commit';
  label: string;
  ms: number;
  /** Of the whole bar, from 0 to 1. */
  share: number;
}

/** How the time was spent. Empty if it is not known. */
export function spansOf(request: Request): Span[] {
  const end = request.duration_ms;
  if (request.status === 'refused' || end === null) return [];
  const first = request.first_token_ms;
  const committed =
    request.settled_at === null ? end : Math.max(end, Date.parse(request.settled_at) - Date.parse(request.started_at));
  const spans: Omit<Span, 'share'>[] = [
    ...(first === null
      ? [{ id: 'waiting' as const, label: 'Provider', ms: end }]
      : [
          { id: 'waiting' as const, label: 'Until the first token', ms: Math.min(first, end) },
          { id: 'output' as const, label: 'Output', ms: Math.max(0, end - first) },
        ]),
    { id: 'commit' as const, label: 'Until the charge was committed', ms: committed - end },
  ];
  const total = Math.max(1, committed);
  return spans.filter((span) => span.ms > 0).map((span) => ({ ...span, share: span.ms / total }));
}
