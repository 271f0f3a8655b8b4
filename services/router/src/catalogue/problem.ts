import type { CatalogueError as CatalogueErrorMessage } from '@tollgate/proto/router';

/** A path in a document: keys and indices from its root. */
export type Path = readonly PropertyKey[];

/** A problem at a path, before its place in the text is known. */
export interface Finding {
  path: Path;
  message: string;
}

/** A problem in a catalogue file, with its place; lines and columns count from 1. */
export interface Problem {
  line: number;
  column: number;
  /** Such as `models[2].price.input`; empty for the entire document. */
  path: string;
  message: string;
}

/** Formats a path as `models[2].price.input`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** One line: file, line, column, path and problem. */
export function formatProblem(file: string, problem: Problem): string {
  const at = `${file}:${problem.line}:${problem.column}`;
  return problem.path === '' ? `${at}: ${problem.message}` : `${at}: ${problem.path}: ${problem.message}`;
}

/** An invalid catalogue; the message lists every problem, one per line. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map((problem) => formatProblem(file, problem));
    super(`The catalogue is invalid:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** Problems as they are sent to operators. */
export function toCatalogueErrors(problems: readonly Problem[]): CatalogueErrorMessage[] {
  return problems.map(({ line, column, path, message }) => ({
    line,
    column,
    message: path === '' ? message : `${path}: ${message}`,
  }));
}
