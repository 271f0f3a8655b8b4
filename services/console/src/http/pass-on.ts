import type { Client } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Operation } from '../api/operations.ts';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../changes/unconfirmed.ts';
import type { RoleCall } from './call.ts';

/** Passes an operation on to the service at whose call it is declared. */
export function passOn(client: Client, { rpc: { localName }, clientAddress, done }: Operation) {
  const call = (client as unknown as Record<string, Parameters<typeof unaryCall<object, object>>[0]>)[localName];
  if (call === undefined) throw new Error(`the client has no method ${localName}`);
  return async (given: object, { rpc, client: { ip } }: RoleCall): Promise<object> => {
    const request = clientAddress === undefined ? given : { ...given, [clientAddress.localName]: ip };
    const made = unaryCall(call.bind(client), request, await rpc(done === undefined ? undefined : CHANGE_DEADLINE_MS));
    return done === undefined ? made : reportUnconfirmed(made, done);
  };
}
