import { collectGarbage } from '@tollgate/common/garbage-collection';

/*
 * Loaded into the tested processes before all else: at SIGUSR2 a process collects its garbage and prints what memory it
 * has left in use.
 */
process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ msg: 'memory in use', heapUsed, external, rss })}\n`);
});
