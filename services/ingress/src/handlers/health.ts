import type { Logger } from '@tollgate/common/logging';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { sendJson } from '../shared/request/response.ts';

/** GET /health/live: the process responds. */
export function createLiveHandler() {
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    sendJson(res, { status: 'live' });
  };
}

/**
 * GET /health/ready: 200 when requests can be served; 503 with the reason before that and while stopping. A change
 * since the last call is logged, with the messages of the other services.
 */
export function createReadyHandler({ problem, logger }: { problem: () => string | undefined; logger: Logger }) {
  let logged: string | undefined;
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    const reason = problem();
    if (reason !== logged) {
      if (reason === undefined) logger.info('serving');
      else logger.info({ reason }, 'not serving');
      logged = reason;
    }
    res.statusCode = reason === undefined ? 200 : 503;
    sendJson(res, reason === undefined ? { status: 'ready' } : { status: 'not ready', reason });
  };
}
