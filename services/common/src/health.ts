import { createServer } from 'node:http';
import { listen } from './http-server.ts';
import { meterOf } from './telemetry.ts';

/** Health checks over plain HTTP, so that probes need no certificate. */
export interface Health {
  /** The port that was bound; undefined where there is no endpoint. */
  port: number | undefined;
  /** Sets why the process cannot serve; undefined when it can. */
  setProblem: (problem: string | undefined) => void;
  /** Closes the endpoint. */
  stop: () => Promise<void>;
}

const NOT_STARTED = 'starting';
const HEAD_TIMEOUT_MS = 5_000;

/**
 * Serves the health checks of a process. By hand: two paths need no framework.
 *
 * - `GET /health/live`: always 200.
 * - `GET /health/ready`: 200 when the process can serve, else 503 with the reason.
 *
 * The metric `tollgate.ready` reports the same, 1 or 0, also where there is no endpoint.
 *
 * @param port undefined for no endpoint
 */
export async function startHealth(host: string, port: number | undefined): Promise<Health> {
  let problem: string | undefined = NOT_STARTED;
  const setProblem = (current: string | undefined) => {
    problem = current;
  };
  meterOf('tollgate-common')
    .createObservableGauge('tollgate.ready', { description: 'Whether the process can serve.' })
    .addCallback((result) => result.observe(problem === undefined ? 1 : 0));
  if (port === undefined) return { port, setProblem, stop: () => Promise.resolve() };
  const server = createServer({ headersTimeout: HEAD_TIMEOUT_MS, requestTimeout: HEAD_TIMEOUT_MS }, (req, res) => {
    const respond = (status: number, body: object) => {
      res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      res.end(JSON.stringify(body));
    };
    if (req.url === '/health/live') respond(200, { status: 'live' });
    else if (req.url !== '/health/ready') respond(404, { status: 'unknown path' });
    else if (problem === undefined) respond(200, { status: 'ready' });
    else respond(503, { status: 'not ready', reason: problem });
  });
  const bound = await listen(server, host, port);
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: bound, setProblem, stop };
}
