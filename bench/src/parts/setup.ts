import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stack, startStack } from '@tollgate/local';
import type { MeasuredWay, Metered } from '../measure/ways.ts';
import { ACCOUNTS } from '../plan.ts';
import { createAccounts } from './accounts.ts';
import { type ListeningPart, startListeningPart } from './fork.ts';
import { Load } from './load.ts';
import { TraceSink } from './sink.ts';

const CATALOGUE = fileURLToPath(new URL('../../catalogue.yaml', import.meta.url));
/** Spans are exported within the pause after each round, so that every round bears the cost of its own. */
const SPAN_DELAY_MS = '200';

/** Everything that takes part, running. */
export interface Setup {
  stack: Stack;
  sink: TraceSink;
  load: Load;
  ways: { tollgate: MeasuredWay; proxy: MeasuredWay; upstream: MeasuredWay };
  ingressPid: number;
  proxyPid: number;
}

/** What has been started, to be stopped last first. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts the upstream, the sink of traces, the bare proxy, all services and the clients, each a process of its own.
 *
 * @param profileFolder where each service leaves a CPU profile when it ends
 * @param stops is added to as parts start, also when a later one fails
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
      // Charges are looked up more often than a customer would.
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
    ways: waysOf(stack, keys, proxy, upstream),
    ingressPid: pidOf(stack, 'ingress'),
    proxyPid: proxy.pid,
  };
}

/** The same requests with the same headers go every way. */
function waysOf(stack: Stack, keys: string[], proxy: ListeningPart, upstream: ListeningPart): Setup['ways'] {
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
      way: { origin: stack.facts.base_url, keys },
      processes: [...ours, ...stores, simulator],
    },
    proxy: {
      name: 'proxy',
      way: { origin: proxy.origin, keys },
      processes: [{ name: 'proxy', pid: proxy.pid, counts: true }, simulator],
    },
    upstream: {
      name: 'upstream',
      way: { origin: upstream.origin, keys },
      processes: [{ ...simulator, counts: true }],
    },
  };
}

function pidOf(stack: Stack, name: string): number {
  const pid = stack.facts.pids[name];
  if (pid === undefined) throw new Error(`the stack tells no process id of ${name}`);
  return pid;
}
