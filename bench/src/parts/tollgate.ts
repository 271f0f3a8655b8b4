import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stack, startStack } from '@tollgate/local';
import type { MeasuredRoute, Metered } from '../measure/routes.ts';
import { ACCOUNTS } from '../plan.ts';
import { createAccounts } from './accounts.ts';
import type { Common } from './common.ts';
import { startListeningPart } from './fork.ts';
import type { Stops } from './stops.ts';

const CATALOGUE = fileURLToPath(new URL('../../catalogue.yaml', import.meta.url));
/** Exports spans within the pause after each round, so that every round bears its own cost. */
const SPAN_DELAY_MS = '400';

/** Which spans are exported. Trace ids are created in any case. */
export type Spans = 'none' | 'sampled';

/** A running Tollgate with all its services. */
export interface Tollgate {
  stack: Stack;
  route: MeasuredRoute;
}

export interface TollgateOptions {
  spans: Spans;
  /** Folder where each service writes a CPU profile when it ends. */
  profileFolder?: string | undefined;
  /** Loads data into the empty stores, before the accounts are created. */
  prepare?: ((stack: Stack) => Promise<void>) | undefined;
}

/** Starts all services with new data, and creates accounts with credit and a key each. */
export async function startTollgate(
  stops: Stops,
  { upstream, upstreamProcess }: Common,
  { spans, profileFolder, prepare }: TollgateOptions,
): Promise<Tollgate> {
  const sink = await startListeningPart('trace-sink.ts');
  stops.push(sink.stop);
  const data = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  stops.push(async () => rmSync(data, { recursive: true, force: true }));
  const stack = await startStack({
    data,
    catalogue: CATALOGUE,
    // A profile names the source files.
    bundled: profileFolder === undefined,
    quiet: true,
    env: {
      BENCH_UPSTREAM_URL: upstream.origin,
      // Half of them may be of one account; the benchmark has eight.
      MAX_OPEN_REQUESTS: '8000',
      MAX_CONNECTIONS: '20000',
      ...spanSettings(spans, sink.origin),
      ...(profileFolder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
    },
  });
  stops.push(() => stack.stop());
  await prepare?.(stack);
  const keys = await createAccounts(stack.facts.grpc, ACCOUNTS);
  const ours = ['ingress', 'ledger', 'router', 'auth'].map((name) => processOf(stack, name, { counts: true }));
  const stores = ['postgres', 'redis'].map((name) => processOf(stack, name, { counts: false, withChildren: true }));
  const processes = [...ours, ...stores, upstreamProcess];
  return { stack, route: { name: 'gateway', route: { origin: stack.facts.base_url, keys }, processes } };
}

function spanSettings(spans: Spans, endpoint: string): Record<string, string> {
  switch (spans) {
    case 'none':
      return {};
    case 'sampled':
      return {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_BSP_SCHEDULE_DELAY: SPAN_DELAY_MS,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      };
    default:
      return spans satisfies never;
  }
}

function processOf(stack: Stack, name: string, options: Omit<Metered, 'name' | 'pid'>): Metered {
  const pid = stack.facts.pids[name];
  if (pid === undefined) throw new Error(`the stack has no process id of ${name}`);
  return { name, pid, ...options };
}
