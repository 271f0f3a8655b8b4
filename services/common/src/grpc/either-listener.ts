import { createServer, type Socket } from 'node:net';
import { type Server, ServerCredentials } from '@grpc/grpc-js';

/** The first byte of a TLS handshake; HTTP/2 without TLS begins with a letter. */
const TLS_HANDSHAKE = 0x16;
/** How long a connection may take to send its first byte. */
const FIRST_BYTE_MS = 10_000;
/** Maximum connections that have not sent it yet. */
const MAX_UNDECIDED = 1_000;

/** A port that serves connections with and without TLS. */
export interface EitherListener {
  port: number;
  /** Accepts no new connections; open ones belong to the server. */
  close: () => void;
}

/**
 * Listens for a gRPC server with and without TLS; the first byte of a connection decides. By hand because grpc-js binds a
 * port with one kind of credentials only.
 *
 * @param port 0 lets the system choose
 */
export function listenForEither(
  server: Server,
  tls: ServerCredentials,
  host: string,
  port: number,
): Promise<EitherListener> {
  const encrypted = server.createConnectionInjector(tls);
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure());
  const undecided = new Set<Socket>();
  const listener = createServer((socket) => {
    if (undecided.size >= MAX_UNDECIDED) {
      socket.destroy();
      return;
    }
    undecided.add(socket);
    const destroy = () => socket.destroy();
    socket.once('close', () => undecided.delete(socket));
    socket.once('error', destroy);
    socket.setTimeout(FIRST_BYTE_MS, destroy);
    socket.once('readable', () => {
      const first: unknown = socket.read(1);
      if (!(first instanceof Buffer)) return;
      undecided.delete(socket);
      socket.off('error', destroy);
      socket.setTimeout(0);
      socket.off('timeout', destroy);
      socket.unshift(first);
      (first[0] === TLS_HANDSHAKE ? encrypted : plain).injectConnection(socket);
    });
  });
  const close = () => {
    listener.close();
    for (const socket of undecided) socket.destroy();
  };
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ host, port }, () => {
      const address = listener.address();
      resolve({ port: typeof address === 'object' && address !== null ? address.port : port, close });
    });
  });
}
