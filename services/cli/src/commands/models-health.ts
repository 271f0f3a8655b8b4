import type { DeploymentHealth } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable, formatTime } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import type { Io } from '../terminal/io.ts';
import { jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

const COLUMNS = [
  { title: 'DEPLOYMENT' },
  { title: 'MODEL' },
  { title: 'PROVIDER' },
  { title: 'STATE' },
  { title: 'OK', align: 'right' as const },
  { title: 'FAILED', align: 'right' as const },
  { title: 'TIMEOUTS', align: 'right' as const },
  { title: 'RATE LIMITED', align: 'right' as const },
  { title: 'CREDENTIALS REFUSED', align: 'right' as const },
  { title: 'MEAN', align: 'right' as const },
  { title: 'LAST SUCCESS' },
  { title: 'LAST FAILURE' },
];

export function addModelsHealthCommand(models: Command, io: Io): void {
  models
    .command('health')
    .description('show which deployments are in rotation, and the outcomes of their last 15 minutes')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { deployments } = await callRouter({ io, options }, (client) => client.getHealth.bind(client), {});
      print(io, options, {
        json: { deployments: deployments.map(toJson) },
        text: formatTable(COLUMNS, deployments.map(rowOf), 'The catalogue has no deployments.'),
      });
    });
}

function rowOf(health: DeploymentHealth): string[] {
  return [
    health.deploymentId,
    health.modelId,
    health.providerId,
    stateOf(health),
    health.successes.toString(),
    health.failures.toString(),
    health.timeouts.toString(),
    health.rateLimited.toString(),
    health.credentialsRefused.toString(),
    health.successes === 0n ? '' : `${health.meanDurationMs} ms`,
    formatTime(health.lastSuccessAtMs),
    lastFailureOf(health),
  ];
}

function stateOf({ inRotation, pausedUntilMs }: DeploymentHealth): string {
  if (inRotation) return 'in rotation';
  return pausedUntilMs === 0n ? 'out of rotation' : `out of rotation until ${formatTime(pausedUntilMs)}`;
}

function lastFailureOf({ lastFailureAtMs, lastFailureStatus }: DeploymentHealth): string {
  const time = formatTime(lastFailureAtMs);
  return lastFailureStatus === 0 ? time : `${time}, status ${lastFailureStatus}`;
}

function toJson(health: DeploymentHealth) {
  return {
    id: health.deploymentId,
    model: health.modelId,
    provider: health.providerId,
    in_rotation: health.inRotation,
    paused_until: jsonTime(health.pausedUntilMs),
    successes: health.successes.toString(),
    failures: health.failures.toString(),
    timeouts: health.timeouts.toString(),
    rate_limited: health.rateLimited.toString(),
    credentials_refused: health.credentialsRefused.toString(),
    mean_duration_ms: health.successes === 0n ? null : health.meanDurationMs,
    last_success_at: jsonTime(health.lastSuccessAtMs),
    last_failure_at: jsonTime(health.lastFailureAtMs),
    last_failure_status: health.lastFailureStatus === 0 ? null : health.lastFailureStatus,
  };
}
