import type { Dependencies } from '../dependencies.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /health/live: the process answers. */
export function live(_req: TollgateRequest, res: TollgateResponse): void {
  sendJson(res, { status: 'live' });
}

/** GET /health/ready: 200 when requests can be served, 503 before that and while stopping. */
export function ready(deps: Pick<Dependencies, 'ready'>) {
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    const isReady = deps.ready();
    res.statusCode = isReady ? 200 : 503;
    sendJson(res, { status: isReady ? 'ready' : 'not ready' });
  };
}
