import type { Attributes } from '@opentelemetry/api';
import { meterOf } from '@tollgate/common/telemetry';
import type { OutcomeKind } from '@tollgate/proto/router';
import type { HealthBoard } from './health-board.ts';
import { outcomeName } from './outcome-name.ts';

export interface RouterMetrics {
  countReload: (usable: boolean) => void;
  /** Counts calls with the same outcome. */
  countOutcome: (deploymentId: string, kind: OutcomeKind, calls: number) => void;
}

/**
 * `tollgate_router_catalogue_usable` (1, or 0 while the file on disk is invalid and an older one is in use),
 * `tollgate_router_catalogue_reloads_total` by `result`, `tollgate_router_outcomes_total` by `deployment` and `kind`,
 * `tollgate_router_deployment_in_rotation` by `deployment`, and `tollgate_router_watchers`.
 */
export function createRouterMetrics(health: HealthBoard, watchers: () => number): RouterMetrics {
  const meter = meterOf('tollgate-router');
  let usable = true;
  const reloads = meter.createCounter('tollgate_router_catalogue_reloads', {
    description: 'Attempts to load a changed file',
  });
  const outcomes = meter.createCounter('tollgate_router_outcomes', { description: 'Outcomes of upstream attempts' });
  meter
    .createObservableGauge('tollgate_router_catalogue_usable', { description: 'Whether the file on disk is usable' })
    .addCallback((result) => result.observe(usable ? 1 : 0));
  meter
    .createObservableGauge('tollgate_router_watchers', { description: 'Ingresses that follow the route table' })
    .addCallback((result) => result.observe(watchers()));
  meter
    .createObservableGauge('tollgate_router_deployment_in_rotation', { description: 'Whether a deployment gets calls' })
    .addCallback((result) => {
      for (const [deployment, entry] of health.entries()) {
        result.observe(entry.health.inRotation ? 1 : 0, { deployment } satisfies Attributes);
      }
    });
  return {
    countReload: (isUsable) => {
      usable = isUsable;
      reloads.add(1, { result: isUsable ? 'usable' : 'unusable' });
    },
    countOutcome: (deployment, kind, calls) => {
      // Only deployments of the catalogue get a series of their own, so that their number is bounded.
      const known = health.has(deployment) ? deployment : 'unknown';
      outcomes.add(calls, { deployment: known, kind: outcomeName(kind) });
    },
  };
}
