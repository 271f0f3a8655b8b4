import { startSimulator } from '@tollgate/simulator/testing/start-simulator';

/** The upstream of the benchmark: the simulated provider in a separate process. Reports its port as `{ port }`. */
const simulator = await startSimulator({
  host: '127.0.0.1',
  port: 0,
  apiKey: undefined,
  onError: (error) => process.stderr.write(`the simulated provider failed: ${String(error)}\n`),
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: simulator.port });
