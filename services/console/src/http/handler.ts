import type { RoleName } from '@tollgate/common/actors/roles';
import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import type { Response } from 'express';
import type { z } from 'zod';
import type { Operations, Route } from '../api/index.ts';
import type { Operation } from '../api/operation.ts';
import type { Session } from '../sessions/session.ts';

/** The client of a request, as it is shown to people and limited. */
export interface Client {
  ip: string;
  userAgent: string;
}

/** Who calls an operation that is open to roles. */
export interface Acting {
  /** In the account of the path, or as an operator. */
  role: RoleName;
  /** The person or management key. */
  actorId: string;
  /** The session; undefined for a program with a management key. */
  session: Session | undefined;
  /** A token of the actor that is valid for at least half a minute. */
  actorToken: () => Promise<string>;
  /** Options of a call of another service on behalf of the actor: `unaryCall(auth.getKey.bind(auth), …, await rpc())`. */
  rpc: (deadlineMs?: number) => Promise<UnaryCallOptions>;
}

type CallerOf<O extends Operation> = O['access'] extends 'anyone'
  ? { session: Session | undefined }
  : O['access'] extends 'person'
    ? { session: Session }
    : Acting;

/** What a handler gets: the validated parts of the request, and who calls. */
export type Call<R extends Route> = {
  path: z.output<Operations[R]['path']>;
  query: z.output<Operations[R]['query']>;
  body: Operations[R]['body'] extends z.ZodType ? z.output<Operations[R]['body']> : undefined;
  client: Client;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  /** For streams and cookies; JSON is sent by the router. */
  response: Response;
} & CallerOf<Operations[R]>;

/** What a handler returns: the JSON of the response; nothing for an empty response, or when it has streamed one. */
type ResultOf<O extends Operation> = O['response'] extends z.ZodType ? z.input<O['response']> : undefined;

/** The logic of one operation. Throws ApiError, and errors of gRPC calls as they are. */
export type Handler<R extends Route> = (call: Call<R>) => Promise<ResultOf<Operations[R]>>;

/** The handlers of all operations. */
export type Handlers = { [R in Route]: Handler<R> };
