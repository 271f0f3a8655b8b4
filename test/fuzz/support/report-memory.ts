import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into the tested processes before all else: at SIGUSR2 a process collects its garbage and prints what memory it
 * has left in use.
 */
setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ msg: 'memory in use', heapUsed, external, rss })}\n`);
});
