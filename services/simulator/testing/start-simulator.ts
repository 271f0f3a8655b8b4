import { listen, stopListening } from '@tollgate/common/http-server';
import { createDependencies, type DependencyOptions } from '../src/dependencies.ts';
import type { Recorder } from '../src/exchange/recorder.ts';
import { createServer } from '../src/server.ts';

export interface SimulatorOptions extends DependencyOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
}

export interface Simulator {
  /** The port. */
  port: number;
  /** Origin, such as `http://127.0.0.1:8090`, without a trailing slash. */
  url: string;
  recorder: Recorder;
  /** Stops accepting calls, and aborts unfinished ones after `graceMs`. */
  stop: (graceMs: number) => Promise<void>;
}

/** Starts the simulated provider in this process. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const dependencies = createDependencies(options);
  const server = createServer(dependencies);
  const port = await listen(server, options.host, options.port);
  const host = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  const stop = (graceMs: number) => stopListening(server, { lingerMs: 0, graceMs });
  return { port, url: `http://${host}:${port}`, recorder: dependencies.recorder, stop };
}
