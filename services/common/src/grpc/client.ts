import {
  type CallOptions,
  type ChannelCredentials,
  credentials,
  type Metadata as GrpcMetadata,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { trace } from '@opentelemetry/api';
import { traceparent } from '../telemetry.ts';
import { MAX_MESSAGE_BYTES } from './server.ts';
import type { GrpcTls } from './tls.ts';

/** Channel options of every client: balanced over all addresses a name has, kept alive, bounded in message size. */
const CLIENT_OPTIONS = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // Where all pods of a service are replaced at once, those that were looked up first are soon all gone: the default of
  // half a minute would leave a client without any until it may look again.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

type ClientConstructor<C> = new (address: string, channelCredentials: ChannelCredentials, options: object) => C;

/**
 * Creates a client of a generated service. It connects when first used, and again by itself.
 *
 * @param tls undefined for connections that are not encrypted
 */
export function createGrpcClient<C>(
  Client: ClientConstructor<C>,
  address: string,
  tls?: Pick<GrpcTls, 'forClients'>,
): C {
  return new Client(address, tls?.forClients() ?? credentials.createInsecure(), CLIENT_OPTIONS);
}

type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: GrpcMetadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => { cancel: () => void };

export interface UnaryCallOptions {
  /** Time limit of the response, connection included. */
  deadlineMs: number;
  /** Cancels the call. */
  signal?: AbortSignal;
}

/**
 * Makes one unary call under the active span. The method is given bound, as in
 * `unaryCall(client.getAccount.bind(client), request, { deadlineMs: 1_000 })`.
 *
 * @throws ServiceError of grpc-js
 */
export function unaryCall<Request, Response>(
  method: UnaryMethod<Request, Response>,
  request: Request,
  options: UnaryCallOptions,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + options.deadlineMs;
    const metadata = traceMetadata();
    metadata.setOptions({ waitForReady: true });
    const call = method(request, metadata, { deadline }, (error, response) => {
      options.signal?.removeEventListener('abort', cancel);
      if (error === null) resolve(response);
      else reject(error);
    });
    const cancel = () => call.cancel();
    if (options.signal?.aborted) cancel();
    options.signal?.addEventListener('abort', cancel, { once: true });
  });
}

/**
 * Metadata that carries the active span's context. A call with it fails at once where no address is known or reached, and
 * has the name looked up again when it is repeated. One that waited would wait for good: grpc-js looks a name that is not
 * known up again only when a call begins. So streams, which have no deadline, do not wait.
 */
export function traceMetadata(): GrpcMetadata {
  const metadata = new Metadata();
  const span = trace.getActiveSpan()?.spanContext();
  if (span !== undefined) metadata.set('traceparent', traceparent(span));
  return metadata;
}
