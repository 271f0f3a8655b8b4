import { checkRequest } from '@tollgate/common/descriptors/check';
import { nothingOf, readFields } from '@tollgate/common/descriptors/read-json';
import type { Request } from 'express';
import type { Operation } from '../api/operations.ts';
import { readJson } from './read-json.ts';

/**
 * The message of a request, checked by the rules of its fields.
 *
 * @param fromPath the fields of its path
 * @throws FieldProblem
 */
export async function readRequest(operation: Operation, req: Request, fromPath: object): Promise<object> {
  const { rpc, inQuery, inBody, unset, maxBodyBytes } = operation;
  const request = {
    ...Object.fromEntries(unset.map((field) => [field.localName, nothingOf(field)])),
    ...fromPath,
    // Without fields in its query, it takes none.
    ...readFields(inQuery, req.query, true),
    ...(inBody === undefined ? {} : readFields(inBody, await readJson(req, maxBodyBytes))),
  };
  checkRequest(rpc.input, request, Date.now());
  return request;
}
