import { z } from 'zod';

const logLine = z.looseObject({
  level: z.string(),
  time: z.string().optional(),
  msg: z.string().optional(),
});

/** Levels shown in the terminal; the log files contain all. */
const SHOWN = new Set(['warn', 'error', 'fatal']);
/** Fields omitted in the terminal. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'service', 'pid', 'hostname']);
const COLOURS: Record<string, string> = { warn: '\u001b[33m', error: '\u001b[31m', fatal: '\u001b[31m' };
const PLAIN = '\u001b[0m';

/** Formats one line of a service's log. @returns undefined if the line is not shown */
export function prettyLine(service: string, line: string, colour: boolean): string | undefined {
  const entry = parse(line);
  // Postgres and Redis have their own log formats. The reason for their end is reported when they end, but a panic
  // comes earlier.
  if (entry === undefined) return /\bPANIC\b/.test(line) ? `${service}: ${line}` : undefined;
  if (!SHOWN.has(entry.level)) return undefined;
  const time = entry.time?.slice(11, 19) ?? '';
  const level = entry.level.toUpperCase().padEnd(5);
  const fields = Object.entries(entry).filter(([name]) => !LEFT_OUT.has(name));
  const rest = fields.map(([name, value]) => ` ${name}=${fieldText(value)}`).join('');
  const start = colour ? (COLOURS[entry.level] ?? '') : '';
  return `${time} ${start}${level}${start === '' ? '' : PLAIN} ${service}: ${entry.msg ?? ''}${rest}`;
}

function parse(line: string): z.output<typeof logLine> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed = logLine.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Shows an error's message; its stack is in the log file. */
function fieldText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return JSON.stringify(value.message);
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}
