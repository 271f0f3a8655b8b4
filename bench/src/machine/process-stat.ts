/** What `/proc/<pid>/stat` reports of a process, in clock ticks of 10 ms (USER_HZ is 100 on every Linux). */
export interface ProcessStat {
  parentPid: number;
  /** Time of all its threads, in user and kernel mode. */
  ownTicks: number;
  /** Time of its children that have ended and were waited for. */
  endedChildrenTicks: number;
}

const TICKS_PER_SECOND = 100;

/**
 * Reads a line of `/proc/<pid>/stat`. The program's name, in brackets, may itself hold spaces and brackets, so fields are
 * counted from the last closing one. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 *
 * @throws Error when the line is not one
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
