import { ChargeStatus } from '@tollgate/proto/ledger';
import type { UpstreamFailure } from './upstream/failure.ts';

/** How the upstream's response ended. */
export type StreamEnd =
  | { kind: 'complete' }
  /** The client has its text up to a stop word that the gateway keeps to, and the upstream call was aborted. */
  | { kind: 'stopped' }
  /** The client disconnected and the upstream call was aborted. */
  | { kind: 'abandoned' }
  | { kind: 'broken'; failure: UpstreamFailure };

/** The end of a stream whose connection broke. */
export function interrupted(detail: string): StreamEnd {
  return { kind: 'broken', failure: { kind: 'reset', detail } };
}

/** Why a stream ended before its response began. */
export function failureOf(end: StreamEnd): UpstreamFailure {
  return end.kind === 'broken' ? end.failure : { kind: 'malformed', detail: 'the stream ended without a response' };
}

/** The status of the charge. */
export function statusOfEnd(end: StreamEnd, isClientClosed: boolean): ChargeStatus {
  switch (end.kind) {
    case 'complete':
    case 'stopped':
      return isClientClosed ? ChargeStatus.CANCELLED : ChargeStatus.COMPLETED;
    case 'abandoned':
      return ChargeStatus.CANCELLED;
    case 'broken':
      return ChargeStatus.FAILED;
    default:
      return end satisfies never;
  }
}
