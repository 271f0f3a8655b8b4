import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stack, startStack } from '@tollgate/local';
import type { MeasuredRoute, Metered } from '../measure/routes.ts';
import { ACCOUNTS } from '../plan.ts';
import { createAccounts } from './accounts.ts';
import { type ListeningPart, startListeningPart } from './fork.ts';
import { Load } from './load.ts';
import { TraceSink } from './sink.ts';

const CATALOGUE = fileURLToPath(new URL('../../catalogue.yaml', import.meta.url));
/** Exports spans within the pause after each round, so that every round bears its own cost. */
const SPAN_DELAY_MS = '200';

/** All running parts. */
export interface Setup {
  stack: Stack;
  sink: TraceSink;
  load: Load;
  routes: { tollgate: MeasuredRoute; proxy: MeasuredRoute; upstream: MeasuredRoute };
  ingressPid: number;
  proxyPid: number;
}

/** Stops what has been started, the last one first. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts the upstream, the trace sink, the bare proxy, all services and the clients, each in its own process.
 *
 * @param profileFolder where each service writes a CPU profile when it ends
 * @param stops receives a function for each started part, even if a later one fails
 */
export async function setUp(stops: Stops, profileFolder: string | undefined): Promise<Setup> {
  const upstream = await startListeningPart('upstream.ts');
  stops.push(upstream.stop);
  const sink = await TraceSink.start();
  stops.push(() => sink.stop());
  const proxy = await startListeningPart('bare-proxy.ts', { UPSTREAM: upstream.origin });
  stops.push(proxy.stop);

  const data = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  stops.push(async () => rmSync(data, { recursive: true, force: true }));
  const stack = await startStack({
    data,
    catalogue: CATALOGUE,
    quiet: true,
    env: {
      BENCH_UPSTREAM_URL: upstream.origin,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.origin,
      OTEL_BSP_SCHEDULE_DELAY: SPAN_DELAY_MS,
      // The benchmark looks up more charges than a customer would.
      BILLING_REQUESTS_PER_MINUTE: '60000',
      ...(profileFolder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
    },
  });
  stops.push(() => stack.stop());
  const keys = await createAccounts(stack.facts.grpc, ACCOUNTS);
  const load = new Load();
  stops.push(() => load.stop());
  return {
    stack,
    sink,
    load,
    routes: routesOf(stack, keys, proxy, upstream),
    ingressPid: pidOf(stack, 'ingress'),
    proxyPid: proxy.pid,
  };
}

/** The same requests with the same headers on every route. */
function routesOf(stack: Stack, keys: string[], proxy: ListeningPart, upstream: ListeningPart): Setup['routes'] {
  const simulator: Metered = { name: 'upstream', pid: upstream.pid, counts: false };
  const ours = ['ingress', 'auth', 'ledger', 'router'].map((name) => ({ name, pid: pidOf(stack, name), counts: true }));
  const stores = ['postgres', 'redis'].map((name) => ({
    name,
    pid: pidOf(stack, name),
    withChildren: true,
    counts: false,
  }));
  return {
    tollgate: {
      name: 'tollgate',
      route: { origin: stack.facts.base_url, keys },
      processes: [...ours, ...stores, simulator],
    },
    proxy: {
      name: 'proxy',
      route: { origin: proxy.origin, keys },
      processes: [{ name: 'proxy', pid: proxy.pid, counts: true }, simulator],
    },
    upstream: {
      name: 'upstream',
      route: { origin: upstream.origin, keys },
      processes: [{ ...simulator, counts: true }],
    },
  };
}

function pidOf(stack: Stack, name: string): number {
  const pid = stack.facts.pids[name];
  if (pid === undefined) throw new Error(`the stack has no process id of ${name}`);
  return pid;
}
