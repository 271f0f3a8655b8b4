import type { Dependencies } from '../dependencies.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';
import { sendJson } from '../http/send-json.ts';

/** GET /health/live: the process answers. */
export function live(_req: TollgateRequest, res: TollgateResponse): void {
  sendJson(res, { status: 'live' });
}

/**
 * GET /health/ready: 200 when requests can be served, 503 with the reason before that and while stopping. What changed
 * since it was asked last is logged, in the words of the other services.
 */
export function ready({ problem, logger }: Pick<Dependencies, 'problem' | 'logger'>) {
  let told: string | undefined;
  return (_req: TollgateRequest, res: TollgateResponse): void => {
    const reason = problem();
    if (reason !== told) {
      if (reason === undefined) logger.info('serving');
      else logger.info({ reason }, 'not serving');
      told = reason;
    }
    res.statusCode = reason === undefined ? 200 : 503;
    sendJson(res, reason === undefined ? { status: 'ready' } : { status: 'not ready', reason });
  };
}
