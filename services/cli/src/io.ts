/** What the command line touches of the outside world. */
export interface Io {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Unix milliseconds. */
  now: () => number;
}
