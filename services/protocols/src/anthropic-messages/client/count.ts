import type { ClientCount } from '../../protocol.ts';
import { MessagesClientRequest } from './client-request.ts';
import { parseCountRequest } from './parse.ts';

/** `/messages/count_tokens`, whose body is a request without an output limit. */
export const clientCount: ClientCount = {
  *parseRequest(body) {
    const result = yield* parseCountRequest(body);
    return result.ok ? { ok: true, request: new MessagesClientRequest(result.parsed) } : result;
  },
  encodeResponse: (tokens) => JSON.stringify({ input_tokens: tokens }),
};
