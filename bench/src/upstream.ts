import { startSimulator } from '@tollgate/simulator/testing/start-simulator';

/**
 * The upstream of the benchmark: the simulated provider in a separate process. Reports its port as `{ port }`.
 *
 * UPSTREAM_PORT: where it listens; 0 for a free port.
 */
const simulator = await startSimulator({
  host: '127.0.0.1',
  port: Number(process.env['UPSTREAM_PORT'] ?? '0'),
  apiKey: undefined,
  onError: (error) => process.stderr.write(`the simulated provider failed: ${String(error)}\n`),
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: simulator.port });
