import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { type OpenStreams, serveMessages } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import type { ProbeReport, ProbeTask } from '@tollgate/proto/router';
import type { ProbePool, ProbeWorker } from '../probes/probe-pool.ts';

/** Sends tasks to an ingress for as long as its stream is open, and takes its reports. */
export function createServeProbesHandler({
  probes,
  streams,
  logger,
}: {
  probes: ProbePool;
  streams: OpenStreams;
  logger: Logger;
}): handleBidiStreamingCall<ProbeReport, ProbeTask> {
  return (call) => {
    const stream = serveMessages<ProbeReport, ProbeTask>(call, {
      name: 'ServeProbes',
      logger,
      open: streams,
      maxInFlight: 1,
      handle: async (report) => probes.report(worker, report),
    });
    const worker: ProbeWorker = { send: (task) => void stream.send(task) };
    if (stream.gone.aborted) return;
    probes.add(worker);
    stream.gone.addEventListener('abort', () => probes.remove(worker), { once: true });
  };
}
