import { z } from 'zod';
import type { MeasuredRoute } from '../measure/routes.ts';
import { modelOf } from '../scenarios.ts';

/** A gateway of any vendor, which already runs. */
export interface OtherGateway {
  route: MeasuredRoute;
  /** Its name of a model that it calls at the benchmark's upstream. */
  model: string;
  /** The port of the upstream that it is configured with. */
  upstreamPort: number;
}

const DEFAULT_UPSTREAM_PORT = 9099;

/**
 * Reads the settings of another gateway; undefined without any.
 *
 * - `GATEWAY`: its origin, on this machine
 * - `GATEWAY_KEY`: a key that it accepts as a bearer token
 * - `GATEWAY_HEADERS`: further headers, as a JSON object, such as those that choose its provider
 * - `GATEWAY_MODEL`: its name of a chat model; `bench-openai-chat` by default
 * - `GATEWAY_PIDS`: process ids, separated by commas, whose CPU time and memory are measured
 * - `UPSTREAM_PORT`: the port at which it finds the upstream; 9099 by default
 *
 * @throws Error that names the setting
 */
export function otherGateway(env: NodeJS.ProcessEnv): OtherGateway | undefined {
  const address = env['GATEWAY'];
  if (address === undefined || address === '') return undefined;
  return {
    route: {
      name: 'gateway',
      route: {
        origin: originOf(address),
        keys: [required(env, 'GATEWAY_KEY')],
        headers: headersOf(env['GATEWAY_HEADERS'] ?? '{}'),
      },
      processes: pidsOf(env['GATEWAY_PIDS'] ?? '').map((pid) => ({ name: `process ${pid}`, pid, counts: true })),
    },
    model: env['GATEWAY_MODEL'] ?? modelOf('openai-chat'),
    upstreamPort: portOf(env['UPSTREAM_PORT'] ?? String(DEFAULT_UPSTREAM_PORT)),
  };
}

/** The benchmark is a load test, so it only calls this machine. */
function originOf(address: string): string {
  const url = URL.parse(address);
  if (url === null || url.protocol !== 'http:')
    throw new Error('GATEWAY: must be an address such as http://127.0.0.1:8787');
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) {
    throw new Error('GATEWAY: must be on this machine (127.0.0.1, localhost or [::1])');
  }
  return url.origin;
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`${name}: is required with GATEWAY`);
  return value;
}

/** The headers of a JSON object, as names and values in turn. */
function headersOf(text: string): string[] {
  const headers = headersSchema.safeParse(parseJson(text));
  if (!headers.success) throw new Error('GATEWAY_HEADERS: must be a JSON object of texts');
  return Object.entries(headers.data).flat();
}

const headersSchema = z.record(z.string(), z.string());

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pidsOf(text: string): number[] {
  const pids = text.split(',').filter((part) => part.trim() !== '');
  return pids.map((part) => {
    const pid = Number(part);
    if (!Number.isInteger(pid) || pid < 1) throw new Error(`GATEWAY_PIDS: ${part} is not a process id`);
    return pid;
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`UPSTREAM_PORT: ${text} is not a port`);
  return port;
}
