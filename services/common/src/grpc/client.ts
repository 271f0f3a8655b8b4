import {
  type CallOptions,
  type ChannelCredentials,
  credentials,
  type Metadata as GrpcMetadata,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { trace } from '@opentelemetry/api';
import { type ActorTokenSource, attachActorToken, setActorToken } from '../actors/attach-token.ts';
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
  // When all pods of a service are replaced at once, the resolved addresses soon are all gone; the default of 30 seconds
  // would leave the client without any until it may resolve the name again.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

type ClientConstructor<C> = new (address: string, channelCredentials: ChannelCredentials, options: object) => C;

export interface GrpcClientOptions {
  /** Who makes the calls: attached to every call that takes an actor, instead of a token for each call. */
  actorToken?: ActorTokenSource;
  /** The name in the server's certificate, where the address belongs to one process. */
  serverName?: string;
}

/**
 * Creates a client of a generated service. It connects on first use and reconnects automatically.
 *
 * @param tls undefined for unencrypted connections
 */
export function createGrpcClient<C>(
  Client: ClientConstructor<C>,
  address: string,
  tls?: Pick<GrpcTls, 'forClients'>,
  { actorToken, serverName }: GrpcClientOptions = {},
): C {
  const interceptors = actorToken === undefined ? [] : [attachActorToken(actorToken)];
  const named =
    serverName === undefined
      ? {}
      : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName };
  const options = { ...CLIENT_OPTIONS, ...named, interceptors };
  return new Client(address, tls?.forClients() ?? credentials.createInsecure(), options);
}

type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: GrpcMetadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => { cancel: () => void };

export interface UnaryCallOptions {
  /** Time limit of the call, connecting included. */
  deadlineMs: number;
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Token of the actor on whose behalf the call is made. */
  actorToken?: string;
}

/**
 * Makes one unary call under the active span. The method is passed bound, as in
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
    if (options.actorToken !== undefined) setActorToken(metadata, options.actorToken);
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
 * Metadata that carries the active span's context. It does not wait for a connection: streams have no deadline, and grpc-js
 * resolves an unknown name again only when a call begins, so a stream that waits would wait forever.
 */
export function traceMetadata(): GrpcMetadata {
  const metadata = new Metadata();
  const span = trace.getActiveSpan()?.spanContext();
  if (span !== undefined) metadata.set('traceparent', traceparent(span));
  return metadata;
}
