/** The process that a command runs in, replaced in tests. */
export interface Io {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Unix milliseconds. */
  now: () => number;
}
