import { InterceptingCall, type Interceptor, type InterceptorOptions, Metadata, status } from '@grpc/grpc-js';
import { isGrpcError, messageOf } from '../errors.ts';
import { PERMISSIONS } from './permissions.ts';

/** Metadata key of the actor token: `authorization: Bearer <token>`. */
const ACTOR_METADATA = 'authorization';
const SCHEME = 'Bearer ';

/** Maximum delay of a timer; calls with a later deadline wait for their token without one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Returns a token that is valid now. */
export type ActorTokenSource = () => Promise<string>;

export function setActorToken(metadata: Metadata, token: string): void {
  metadata.set(ACTOR_METADATA, SCHEME + token);
}

/** The actor token of a call; undefined if there is none, and empty if the call presents something else in its place. */
export function actorTokenOf(metadata: Metadata): string | undefined {
  const header = metadata.get(ACTOR_METADATA)[0];
  if (header === undefined) return undefined;
  return typeof header === 'string' && header.startsWith(SCHEME) ? header.slice(SCHEME.length) : '';
}

/** Attaches a token to every call that takes an actor. The call fails if its token cannot be obtained before its deadline. */
export function attachActorToken(actorToken: ActorTokenSource): Interceptor {
  return (options, nextCall) => {
    const call = nextCall(options);
    if (!takesActor(options)) return new InterceptingCall(call);
    let fail: ((code: status, details: string) => void) | undefined;
    return new InterceptingCall(call, {
      start: (metadata, listener, next) => {
        // grpc-js does not report the end of a call that has not started: neither a deadline nor a cancellation.
        fail = (code, details) => {
          stopWaiting();
          call.cancelWithStatus(code, details);
          listener.onReceiveStatus?.({ code, details, metadata: new Metadata() });
        };
        const timer = startTimer(options, () => fail?.(status.DEADLINE_EXCEEDED, 'the deadline has passed'));
        const stopWaiting = () => {
          clearTimeout(timer);
          fail = undefined;
        };
        actorToken().then(
          (token) => {
            if (fail === undefined) return;
            stopWaiting();
            setActorToken(metadata, token);
            next(metadata, listener);
          },
          (error: unknown) => {
            if (isGrpcError(error)) fail?.(error.code, error.details);
            else fail?.(status.INTERNAL, messageOf(error));
          },
        );
      },
      cancel: (next) => {
        if (fail === undefined) next();
        else fail(status.CANCELLED, 'cancelled on client');
      },
    });
  };
}

function takesActor({ method_definition: { path } }: InterceptorOptions): boolean {
  const permission = PERMISSIONS[path];
  return permission !== undefined && permission !== 'caller';
}

function startTimer({ deadline }: InterceptorOptions, passed: () => void): NodeJS.Timeout | undefined {
  if (deadline === undefined) return undefined;
  const leftMs = Number(deadline) - Date.now();
  return leftMs > MAX_TIMER_MS ? undefined : setTimeout(passed, leftMs);
}
