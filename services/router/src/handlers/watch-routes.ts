import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { OpenStreams } from '@tollgate/common/grpc/server-stream';
import { ServerStream } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import type { RouteTable, WatchRoutesRequest } from '@tollgate/proto/router';
import type { RouteStore } from '../routes/route-store.ts';

/** Sends the full table, and again after each change. A slow watcher misses tables, never the latest. */
export function createWatchRoutesHandler({
  routes,
  streams,
  logger,
}: {
  routes: RouteStore;
  streams: OpenStreams;
  logger: Logger;
}): handleServerStreamingCall<WatchRoutesRequest, RouteTable> {
  return (call) => {
    const watcher = call.request.watcherId.slice(0, 100);
    const stream = new ServerStream<RouteTable>(call, { name: 'WatchRoutes', logger, open: streams });
    let sent: RouteTable | undefined;
    let sending = false;
    const sendLatest = async () => {
      if (sending) return;
      sending = true;
      while (sent !== routes.table && !stream.gone.aborted) {
        sent = routes.table;
        await stream.send(sent);
      }
      sending = false;
    };
    const stopListening = routes.onChange(() => void sendLatest());
    const onGone = () => {
      stopListening();
      logger.debug({ watcher }, 'a watcher of routes disconnected');
    };
    if (stream.gone.aborted) return onGone();
    stream.gone.addEventListener('abort', onGone, { once: true });
    logger.debug({ watcher }, 'a watcher of routes connected');
    void sendLatest();
  };
}
