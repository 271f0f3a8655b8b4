import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import { type Request, type Response, Router } from 'express';

interface HealthOptions {
  pool: Pool;
  logger: Logger;
  isStopping: () => boolean;
}

/**
 * `/health/live`: 200 while the process responds. `/health/ready`: 200 while its database has the console's schema, 503
 * otherwise and while it stops. The other services are not required: pages say what is not available.
 */
export function createHealthRouter({ pool, logger, isStopping }: HealthOptions): Router {
  const router = Router();
  router.get('/live', (_req: Request, res: Response) => {
    res.locals['route'] = '/health/live';
    res.json({ status: 'live' });
  });
  router.get('/ready', async (_req: Request, res: Response) => {
    res.locals['route'] = '/health/ready';
    if (isStopping()) {
      res.status(503).json({ status: 'not ready', reason: 'stopping' });
      return;
    }
    try {
      await pool.query('SELECT FROM console.sessions LIMIT 0');
      res.json({ status: 'ready' });
    } catch (error) {
      logger.warn({ err: error }, 'not ready');
      res.status(503).json({ status: 'not ready', reason: 'the database is not available or has no schema' });
    }
  });
  return router;
}
