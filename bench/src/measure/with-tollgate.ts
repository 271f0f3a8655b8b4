import { type Common, startProxy } from '../parts/common.ts';
import { type Stops, stopFrom } from '../parts/stops.ts';
import { startTollgate, type Tollgate, type TollgateOptions } from '../parts/tollgate.ts';
import type { Routes } from './routes.ts';

/** Starts a further Tollgate and a bare proxy for a measurement, and stops them after it. */
export async function withTollgate<T>(
  stops: Stops,
  common: Common,
  tollgateOptions: TollgateOptions,
  measure: (tollgate: Tollgate, routes: Routes) => Promise<T>,
): Promise<T> {
  const position = stops.length;
  const tollgate = await startTollgate(stops, common, tollgateOptions);
  const proxy = await startProxy(stops, common);
  const result = await measure(tollgate, { gateway: tollgate.route, proxy, upstream: common.upstreamRoute });
  await stopFrom(stops, position);
  return result;
}
