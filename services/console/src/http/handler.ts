import type { Response } from 'express';
import type { z } from 'zod';
import type { OldRoute, Operations } from '../api/index.ts';
import type { Operation } from '../api/operation.ts';
import type { Session } from '../sessions/session.ts';

import type { Client, Acting as Roles } from './call.ts';

export type { Client } from './call.ts';

/** Who calls an operation that is open to roles. */
export interface Acting extends Roles {
  session: Session | undefined;
}

type CallerOf<O extends Operation> = O['access'] extends 'anyone'
  ? { session: Session | undefined }
  : O['access'] extends 'person'
    ? { session: Session }
    : Acting;

/** What a handler gets: the validated parts of the request, and who calls. */
export type Call<R extends OldRoute> = {
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
export type Handler<R extends OldRoute> = (call: Call<R>) => Promise<ResultOf<Operations[R]>>;

/** The handlers of all operations. */
export type Handlers = { [R in OldRoute]: Handler<R> };
