import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import type { WatchRevocationsRequest, WatchRevocationsResponse } from '@tollgate/proto/auth';
import type { RevocationHub } from '../revocations/hub.ts';

/** Sends an ingress every change of keys and accounts, and records what it has applied. */
export function createWatchRevocationsHandler({
  revocations,
}: {
  revocations: RevocationHub;
}): handleBidiStreamingCall<WatchRevocationsRequest, WatchRevocationsResponse> {
  return (call) => revocations.serve(call);
}
