import type { Route } from '../load/messages.ts';

/** The compared routes to the upstream: through the gateway, through the bare proxy, and direct. */
export type RouteName = 'gateway' | 'proxy' | 'upstream';

/** A process with reported CPU time. */
export interface Metered {
  name: string;
  pid: number;
  /** Also uses child processes. */
  withChildren?: boolean;
  /** Part of the route, so that its time counts; others are only reported. */
  counts: boolean;
}

export interface MeasuredRoute {
  name: RouteName;
  route: Route;
  processes: Metered[];
}

export interface Routes {
  gateway: MeasuredRoute;
  proxy: MeasuredRoute;
  upstream: MeasuredRoute;
}
