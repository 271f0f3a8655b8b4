import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ClientRequest, ClientRequestResult, PathParameters } from '@tollgate/protocols/interface/protocol';
import type { Stages } from '@tollgate/protocols/lists/stages';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import { type Pause, pausesFor, runStages } from '../../shared/scheduling.ts';
import { type ReferenceDependencies, resolveItemReferences } from '../items/response-items.ts';

/** For protocols whose body says everything. */
export const NO_PATH_PARAMETERS: PathParameters = { model: '', stream: 'none' };

/** Parses the body of a generation call, or of a call that counts tokens. */
export type ParseRequest = (body: Buffer, path: PathParameters) => Stages<ClientRequestResult>;

export interface ReadRequest {
  request: ClientRequest;
  /** Pauses for further work on the request. */
  pause: Pause;
}

/**
 * Reads a client's request: resolves its item references and parses it.
 *
 * @throws ApiError that names the invalid field
 */
export async function readRequest(
  deps: ReferenceDependencies,
  { headers }: TollgateRequest,
  { locals }: TollgateResponse,
  protocol: ProtocolName,
  parse: ParseRequest,
  path: PathParameters,
): Promise<ReadRequest> {
  requireJson(headers['content-type']);
  const body = await resolveItemReferences(deps, protocol, keyOf(locals.context).accountId, locals.body);
  const pause = pausesFor(body.length);
  await pause();
  const result = await runStages(parse(body, path), pause);
  await pause();
  if (!result.ok) throw apiErrors.invalidField(result.error.message);
  return { request: result.request, pause };
}

/** Rejects bodies declared as anything but JSON. SDKs always declare JSON; undeclared bodies are accepted. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(contentType)) return;
  throw apiErrors.invalidRequest('The content-type header must be application/json.');
}
