import { type handleUnaryCall, type Metadata, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Authorize } from '../actors/authorize.ts';
import type { Actor } from '../actors/token.ts';
import { requestCheck } from '../descriptors/check.ts';
import { messageOf, RpcError, toGrpcStatus } from '../errors.ts';
import type { Logger } from '../logging.ts';
import { parseTraceparent } from '../telemetry.ts';

/** What a unary handler gets besides its request. */
export interface CallContext {
  /** Aborts when the client cancels the call or its deadline passes. */
  signal: AbortSignal;
  /** Who makes the call; undefined for a call that the caller's certificate alone allows. */
  actor: Actor | undefined;
}

/** The actor of a call that PERMISSIONS allows only with one. */
export function actorOf({ actor }: CallContext): Actor {
  if (actor === undefined) throw new Error('the call has no actor');
  return actor;
}

/** A unary method's logic: returns the response, or throws an RpcError. */
export type UnaryHandler<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;

/** Time limit of calls whose client sets no deadline. */
const DEFAULT_DEADLINE_MS = 30_000;

const tracer = trace.getTracer('tollgate-grpc');

/**
 * Turns a method's logic into a gRPC handler: authorized, what an actor requests checked by the rules of the proto
 * file, with a server span under the caller's and a deadline. An RpcError becomes its status; any other error is logged and returned as INTERNAL.
 *
 * @param name full name of the method, such as `tollgate.auth.v1.AuthService/GetKey`
 */
export function unary<Request, Response>(
  name: string,
  { logger, authorize }: { logger: Logger; authorize: Authorize },
  handler: UnaryHandler<Request, Response>,
): handleUnaryCall<Request, Response> {
  // Read with the first call of an actor: descriptors take 3 MiB, and what services ask of each other has no such rules.
  let check: ReturnType<typeof requestCheck> | undefined;
  return (call, callback) => {
    const parent = parentOf(call.metadata);
    const span = tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': name } },
      parent,
    );
    const deadline = deadlineOf(call);
    const handle = async () => {
      const actor = await authorize(`/${name}`, call.metadata, call.request);
      if (actor !== undefined) {
        check ??= requestCheck(name);
        check(call.request as object, Date.now());
      }
      return handler(call.request, { signal: deadline.signal, actor });
    };
    context
      .with(trace.setSpan(parent, span), handle)
      .then(
        (response) => callback(null, response),
        (error: unknown) => {
          const rpcError = deadline.signal.aborted && !(error instanceof RpcError) ? DEADLINE : toGrpcStatus(error);
          if (rpcError.code === status.INTERNAL) logger.error({ err: error, method: name }, 'call failed');
          span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
          callback(rpcError);
        },
      )
      .finally(() => {
        deadline.release();
        span.end();
      });
  };
}

const DEADLINE = toGrpcStatus(new RpcError('deadline_exceeded', 'the deadline has passed'));

function parentOf(metadata: Metadata) {
  const header = metadata.get('traceparent')[0];
  const remote = typeof header === 'string' ? parseTraceparent(header) : undefined;
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
}

function deadlineOf(call: ServerUnaryCall<unknown, unknown>): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const given = Number(call.getDeadline());
  const left = Number.isFinite(given) ? given - Date.now() : DEFAULT_DEADLINE_MS;
  const timer = setTimeout(() => controller.abort(), Math.max(0, Math.min(left, DEFAULT_DEADLINE_MS * 4)));
  const cancelled = () => controller.abort();
  call.once('cancelled', cancelled);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      call.off('cancelled', cancelled);
    },
  };
}
