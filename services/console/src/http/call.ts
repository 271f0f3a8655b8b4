import type { RoleName } from '@tollgate/common/actors/roles';
import type { UnaryCallOptions } from '@tollgate/common/grpc/client';
import type { Response } from 'express';
import type { Session } from '../sessions/session.ts';

/** The client of a request, as it is shown to people and limited. */
export interface Client {
  ip: string;
  userAgent: string;
}

/** How an operation is called that is open to everybody. */
export interface OpenCall {
  /** The session of the caller; undefined: nobody is signed in, or a program calls. */
  session: Session | undefined;
  client: Client;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  /** For streams and cookies; JSON is sent by the router. */
  response: Response;
}

/** How one is called that is open to whoever is signed in. */
export interface PersonCall extends OpenCall {
  session: Session;
}

/** Who calls an operation that is open to roles. */
export interface Acting {
  /** In the account of the path, or as an operator. */
  role: RoleName;
  /** The person or management key. */
  actorId: string;
  /** A token of the actor that is valid for at least half a minute. */
  actorToken: () => Promise<string>;
  /** Options of a call of another service on behalf of the actor: `unaryCall(auth.getKey.bind(auth), …, await rpc())`. */
  rpc: (deadlineMs?: number) => Promise<UnaryCallOptions>;
}

/** How one is called that is open to roles. */
export interface RoleCall extends OpenCall, Acting {}
