import { type Server, type ServerWritableStream, status } from '@grpc/grpc-js';
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthServer,
  HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@tollgate/proto/health';
import { OpenStreams } from './server-stream.ts';

type Watch = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/**
 * The health checking service of gRPC, by https://github.com/grpc/grpc/blob/master/doc/health-checking.md. By hand: the
 * package for it, grpc-health-check, reads its proto file at each start with code that takes some MiB of every process.
 */
export class GrpcHealth {
  readonly #services: readonly string[];
  readonly #watches = new Set<Watch>();
  readonly #open = new OpenStreams();
  #status: ServingStatus = ServingStatus.NOT_SERVING;

  /** @param services full names of the server's services; not serving at first */
  constructor(services: readonly string[]) {
    this.#services = ['', ...services];
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
      watch: (call) => this.#watch(call),
    };
    server.addService(HealthService, implementation);
  }

  /** Sets the status of the server and its services, and sends it to those that watch it. */
  setServing(isServing: boolean): void {
    this.#status = isServing ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    for (const call of this.#watches) call.write({ status: this.#status });
  }

  /** Ends the open watches, so that a server that stops does not wait for them. */
  endWatches(): void {
    this.#open.drain();
  }

  /** An unknown service is watched too, by the specification; here it stays unknown. */
  #watch(call: Watch): void {
    const isKnown = this.#services.includes(call.request.service);
    if (isKnown) this.#watches.add(call);
    const forget = () => {
      this.#watches.delete(call);
      this.#open.delete(call);
    };
    call.on('cancelled', forget);
    call.on('close', forget);
    call.write({ status: isKnown ? this.#status : ServingStatus.SERVICE_UNKNOWN });
    this.#open.add(call);
  }
}
