import { type Server, status } from '@grpc/grpc-js';
import {
  type HealthCheckResponse,
  type HealthServer,
  HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@tollgate/proto/health';
import type { Logger } from '../logging.ts';
import { OpenStreams, ServerStream } from './server-stream.ts';

/**
 * The health checking service of gRPC, by https://github.com/grpc/grpc/blob/master/doc/health-checking.md. By hand: the
 * package for it, grpc-health-check, reads its proto file at each start with code that takes some MiB of every process.
 */
export class GrpcHealth {
  readonly #services: readonly string[];
  readonly #logger: Logger;
  /** Those of known services. */
  readonly #watches = new Set<ServerStream<HealthCheckResponse>>();
  readonly #open = new OpenStreams();
  #status: ServingStatus = ServingStatus.NOT_SERVING;

  /** @param services full names of the server's services; not serving at first */
  constructor(services: readonly string[], logger: Logger) {
    this.#services = ['', ...services];
    this.#logger = logger;
  }

  addToServer(server: Server): void {
    const implementation: HealthServer = {
      check: ({ request: { service } }, callback) => {
        if (this.#services.includes(service)) callback(null, { status: this.#status });
        else callback({ code: status.NOT_FOUND, details: `unknown service ${service}` });
      },
      list: (_call, callback) => {
        const statuses = this.#services.map((service) => [service, { status: this.#status }]);
        callback(null, { statuses: Object.fromEntries(statuses) });
      },
      watch: (call) => {
        const stream = new ServerStream(call, { name: 'Watch', logger: this.#logger, open: this.#open });
        this.#watch(call.request.service, stream);
      },
    };
    server.addService(HealthService, implementation);
  }

  /** Sets the status of the server and its services, and sends it to those that watch it. */
  setServing(isServing: boolean): void {
    this.#status = isServing ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    for (const watch of this.#watches) void watch.send({ status: this.#status });
  }

  /** Ends the open watches, so that a server that stops does not wait for them. */
  endWatches(): void {
    this.#open.drain();
  }

  /** An unknown service is watched too, by the specification; here it stays unknown. */
  #watch(service: string, watch: ServerStream<HealthCheckResponse>): void {
    if (!this.#services.includes(service)) {
      void watch.send({ status: ServingStatus.SERVICE_UNKNOWN });
      return;
    }
    this.#watches.add(watch);
    watch.gone.addEventListener('abort', () => this.#watches.delete(watch));
    void watch.send({ status: this.#status });
  }
}
