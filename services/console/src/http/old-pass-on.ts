import type { Client } from '@grpc/grpc-js';
import { toJson } from '@tollgate/common/descriptors/json';
import { readFields } from '@tollgate/common/descriptors/read-json';
import { methodNamed } from '@tollgate/common/descriptors/registry';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { OldRoute } from '../api/index.ts';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../changes/unconfirmed.ts';
import { required } from '../required.ts';
import type { Acting, Handler } from './handler.ts';

interface PassOnOptions {
  /** Further fields of the service's request, as JSON. */
  given?: object;
  /** The field of the service's response that is the API's; by default all of them are. */
  result?: string;
  /** The field of the service's response that is the `data` of a list. */
  list?: string;
  /** What a change has done that returns once every ingress has confirmed it, such as `The key is changed`. */
  done?: string;
}

/** The parts of a call whose operation is open to roles, with their types erased: the router has validated them. */
interface AnyCall extends Acting {
  path: object;
  query: object;
  body: object | undefined;
}

/**
 * The handler of an operation that one call of a service does. Path, query and body are the fields of its request, and the JSON
 * of its response is the response.
 *
 * @param method such as `tollgate.auth.v1.AuthService/CreateKey`
 */
export function passOn<R extends OldRoute>(client: Client, method: string, options: PassOnOptions = {}): Handler<R> {
  const { input, output, localName } = methodNamed(method);
  const call = (client as unknown as Record<string, Parameters<typeof unaryCall<object, object>>[0]>)[localName];
  if (call === undefined) throw new Error(`the client has no method ${localName}`);
  const { given, result, list, done } = options;
  const handle = async ({ path, query, body, rpc }: AnyCall): Promise<object> => {
    const request = readFields(input.fields, { ...query, ...body, ...path, ...given });
    const made = unaryCall(call.bind(client), request, await rpc(done === undefined ? undefined : CHANGE_DEADLINE_MS));
    const response = toJson(output, done === undefined ? await made : await reportUnconfirmed(made, done));
    if (list !== undefined) return { data: response[list] };
    return result === undefined ? response : required(response[result] as object | undefined);
  };
  return handle as unknown as Handler<R>;
}
