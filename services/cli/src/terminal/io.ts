/** The process that a command runs in, replaced in tests. */
export interface Io {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  /** Reads a secret: a line that is typed without being shown, or piped. */
  readSecret: (prompt: string) => Promise<string>;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Unix milliseconds. */
  now: () => number;
  /** Waits between the polls of a sign-in. */
  delay: (ms: number) => Promise<void>;
}
