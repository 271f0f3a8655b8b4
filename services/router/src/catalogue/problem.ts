/** A place in a document: keys and indices from its top. */
export type Path = readonly PropertyKey[];

/** Something wrong at a path, before its place in the text is known. */
export interface Finding {
  path: Path;
  message: string;
}

/** Something wrong in a catalogue file, with its place, lines and columns from 1. */
export interface Problem {
  line: number;
  column: number;
  /** Such as `models[2].price.input`; empty for the document as a whole. */
  path: string;
  message: string;
}

/** Writes a path as `models[2].price.input`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** One line for people: file, line, column, path and what is wrong. */
export function formatProblem(file: string, problem: Problem): string {
  const at = `${file}:${problem.line}:${problem.column}`;
  return problem.path === '' ? `${at}: ${problem.message}` : `${at}: ${problem.path}: ${problem.message}`;
}

/** A catalogue that cannot be used; the message lists every problem, one a line. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map((problem) => formatProblem(file, problem));
    super(`The catalogue is not usable:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
