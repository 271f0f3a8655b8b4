import type { MeasuredRoute, Metered } from '../measure/routes.ts';
import { type ListeningPart, startListeningPart } from './fork.ts';
import { Load } from './load.ts';
import type { Stops } from './stops.ts';

/** The parts that every gateway is measured with, each in its own process. */
export interface Common {
  upstream: ListeningPart;
  load: Load;
  upstreamRoute: MeasuredRoute;
  /** The upstream's process, reported beside every route. */
  upstreamProcess: Metered;
}

/** The simulated provider needs no key. */
const NO_KEYS = ['none'];

/** Starts the upstream and the clients. @param upstreamPort 0 for a free one */
export async function startCommon(stops: Stops, upstreamPort: number): Promise<Common> {
  const upstream = await startListeningPart('upstream.ts', { UPSTREAM_PORT: String(upstreamPort) });
  stops.push(upstream.stop);
  const load = new Load();
  stops.push(() => load.stop());
  const upstreamProcess = { name: 'upstream', pid: upstream.pid, counts: false };
  return {
    upstream,
    load,
    upstreamProcess,
    upstreamRoute: {
      name: 'upstream',
      route: { origin: upstream.origin, keys: NO_KEYS },
      processes: [{ ...upstreamProcess, counts: true }],
    },
  };
}

/** A bare proxy that has just started. */
export async function startProxy(stops: Stops, { upstream, upstreamProcess }: Common): Promise<MeasuredRoute> {
  const proxy = await startListeningPart('bare-proxy.ts', { UPSTREAM: upstream.origin });
  stops.push(proxy.stop);
  return {
    name: 'proxy',
    route: { origin: proxy.origin, keys: NO_KEYS },
    processes: [{ name: 'proxy', pid: proxy.pid, counts: true }, upstreamProcess],
  };
}
