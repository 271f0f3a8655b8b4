/** Contents of `/proc/<pid>/stat`, in clock ticks of 10 ms (USER_HZ is 100 on every Linux). */
export interface ProcessStat {
  parentPid: number;
  /** User and kernel time of all threads. */
  ownTicks: number;
  /** Time of ended children. */
  endedChildrenTicks: number;
}

const TICKS_PER_SECOND = 100;

/**
 * Parses a line of `/proc/<pid>/stat`. The program name, in brackets, may contain spaces and brackets, so fields are
 * counted from the last closing one. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 *
 * @throws Error if the line is malformed
 */
export function parseProcessStat(line: string): ProcessStat {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => {
    // The state, field 3, is the first after the name.
    const value = Number(fields[number - 3]);
    if (!Number.isInteger(value)) throw new Error('not a line of /proc/<pid>/stat');
    return value;
  };
  return { parentPid: field(4), ownTicks: field(14) + field(15), endedChildrenTicks: field(16) + field(17) };
}

export function ticksToMicroseconds(ticks: number): number {
  return (ticks * 1_000_000) / TICKS_PER_SECOND;
}
