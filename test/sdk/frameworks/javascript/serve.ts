import { createInterface } from 'node:readline';
import type { Program, ProgramError, ProgramResult } from '../program.ts';

/** Reads programs as JSON lines from stdin, runs them concurrently, and writes their results as JSON lines to stdout. */
export function serve(run: (program: Program, result: ProgramResult) => Promise<void>): void {
  // Frameworks may print: stdout is for results only.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  // @google/generative-ai rejects a promise that nobody has, when a stream ends early.
  process.on('unhandledRejection', () => undefined);
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { number, argument }: { number: number; argument: Program } = JSON.parse(line);
    const result: ProgramResult = {
      texts: [],
      thoughts: '',
      toolInputs: [],
      object: null,
      pieces: 0,
      usage: null,
      error: null,
    };
    try {
      await run(argument, result);
    } catch (error) {
      result.error = programError(error);
    }
    write(`${JSON.stringify({ number, result })}\n`);
  });
}

/** The tool's output for one city; records its input. */
export function runTool(program: Program, result: ProgramResult, input: { city: string }): string {
  result.toolInputs.push(input);
  return (program.toolOutput ?? '').replace('{city}', input.city);
}

function programError(error: unknown): ProgramError {
  const kinds: string[] = [];
  let status: number | null = null;
  // Frameworks wrap errors: RetryError.lastError of the AI SDK, `cause` elsewhere.
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    kinds.push(...classesOf(current));
    status ??= statusOf(current);
    current = Reflect.get(current, 'lastError') ?? current.cause;
  }
  return { kinds, status, message: error instanceof Error ? error.message : JSON.stringify(error) };
}

function classesOf(error: Error): string[] {
  const names = [error.name];
  for (let type = error.constructor; type !== Error && type.name !== ''; type = Object.getPrototypeOf(type)) {
    names.push(type.name);
  }
  return [...new Set(names)];
}

function statusOf(error: Error): number | null {
  for (const field of ['statusCode', 'status']) {
    const value: unknown = Reflect.get(error, field);
    if (typeof value === 'number') return value;
  }
  return null;
}
