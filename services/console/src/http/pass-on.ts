import type { Client } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Operation } from '../api/operations.ts';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../changes/unconfirmed.ts';
import type { RoleCall } from './call.ts';

/** The field of a request that gets the address of the client, for limits. */
const CLIENT_ADDRESS = 'clientAddress';

/** Passes an operation on to the service at whose call it is declared. */
export function passOn(client: Client, { rpc: { localName }, unset, done }: Operation) {
  const call = (client as unknown as Record<string, Parameters<typeof unaryCall<object, object>>[0]>)[localName];
  if (call === undefined) throw new Error(`the client has no method ${localName}`);
  const withAddress = unset.some((field) => field.localName === CLIENT_ADDRESS);
  return async (given: object, { rpc, client: { ip } }: RoleCall): Promise<object> => {
    const request = withAddress ? { ...given, [CLIENT_ADDRESS]: ip } : given;
    const made = unaryCall(call.bind(client), request, await rpc(done === undefined ? undefined : CHANGE_DEADLINE_MS));
    return done === undefined ? made : reportUnconfirmed(made, done);
  };
}
