import type { Api } from '@tollgate/proto/api-types';
import type { ConsoleServiceService } from '@tollgate/proto/console';
import type { OpenCall, PersonCall, RoleCall } from './call.ts';

type Methods = ConsoleServiceService;
type Id = keyof Methods;

/** How an operation is called, by who may call it. */
interface Calls {
  anyone: OpenCall;
  person: PersonCall;
  roles: RoleCall;
}

type AccessTo<M extends Id> = Extract<Api[keyof Api], { id: M }>['access'];
type ResponseOf<M extends Id> = ReturnType<Methods[M]['responseDeserialize']>;
/** Nothing for an empty response, or for one that the handler has streamed. */
type ResultOf<M extends Id> = Methods[M]['responseStream'] extends true
  ? undefined
  : keyof ResponseOf<M> extends never
    ? undefined
    : ResponseOf<M>;

/** The logic of an operation: from request to response. Throws ApiError, and errors of gRPC calls as they are. */
export type Handler<M extends Id> = (
  request: ReturnType<Methods[M]['requestDeserialize']>,
  call: Calls[AccessTo<M>],
) => Promise<ResultOf<M>>;

/** The handlers of the console's operations, by the names of their methods. */
export type Handlers = { [M in Id]: Handler<M> };
