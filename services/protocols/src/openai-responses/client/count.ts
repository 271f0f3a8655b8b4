import type { ClientCount } from '../../protocol.ts';
import { parseClientRequest } from './client-request.ts';

/** `/responses/input_tokens`, whose body is a request. */
export const clientCount: ClientCount = {
  parseRequest: parseClientRequest,
  encodeResponse: (tokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
};
