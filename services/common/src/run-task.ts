/**
 * Runs a task of a service that an operator of the cluster calls: `node … task.ts NAME [ARGUMENT]...`.
 *
 * @param tasks load the program of each task, which runs then
 */
export async function runTask(tasks: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const name = process.argv[2] ?? '';
  const load = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
  if (load !== undefined) {
    await load();
    return;
  }
  process.stderr.write(`Give the name of a task: ${Object.keys(tasks).join(', ')}.\n`);
  process.exitCode = 2;
}

/** The arguments of the task that runs. */
export function taskArguments(): string[] {
  return process.argv.slice(3);
}
