import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type { Logger } from '@tollgate/common/logging';
import type { RouteTable, WatchRoutesRequest } from '@tollgate/proto/router';
import type { RouteStore } from '../routes/route-store.ts';
import type { OpenStreams } from './open-streams.ts';

/**
 * Sends the whole table, and again after each change. A watcher that reads slowly misses tables between, never the
 * latest: at most one waits for it.
 */
export function watchRoutes(
  routes: RouteStore,
  streams: OpenStreams,
  logger: Logger,
): handleServerStreamingCall<WatchRoutesRequest, RouteTable> {
  return (call) => {
    const watcher = call.request.watcherId.slice(0, 100);
    let sent: RouteTable | undefined;
    let full = false;
    const send = () => {
      if (full || sent === routes.table) return;
      sent = routes.table;
      full = !call.write(sent);
    };
    const stopListening = routes.onChange(send);
    const leave = streams.add(() => call.end());
    const close = () => {
      stopListening();
      leave();
    };
    call.on('drain', () => {
      full = false;
      send();
    });
    call.on('cancelled', () => {
      close();
      logger.debug({ watcher }, 'a watcher of routes left');
    });
    call.on('close', close);
    call.on('error', (error: Error) => {
      close();
      logger.warn({ watcher, err: error }, 'a watcher of routes was lost');
    });
    logger.debug({ watcher }, 'a watcher of routes came');
    send();
  };
}
