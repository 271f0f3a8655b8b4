/** The process that a command runs in, replaced in tests. */
export interface Io {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Name of the system's user; undefined if it has none, as in some containers. */
  user: () => string | undefined;
  /** Unix milliseconds. */
  now: () => number;
}
