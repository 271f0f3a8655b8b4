import { createWriteStream, existsSync, readFileSync, renameSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '@tollgate/common/private-folder';

/** A log file beyond this size is renamed to `NAME.log.1`, replacing the one before. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Lines are dropped if this much is waiting for the disk. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** One log file per process, truncated at every start of the stack. */
export interface StackLogs {
  folder: string;
  path: (service: string) => string;
  /** The lines of a process so far, without those not written yet. */
  read: (service: string) => string[];
}

export interface LogWriter extends StackLogs {
  write: (service: string, line: string) => void;
  close: () => Promise<void>;
}

export function openLogs(folder: string): LogWriter {
  makePrivateFolder(folder);
  const files = new Map<string, LogFile>();
  const path = (service: string) => join(folder, `${service}.log`);
  const read = (service: string) =>
    existsSync(path(service)) ? readFileSync(path(service), 'utf8').split('\n').slice(0, -1) : [];
  const write = (service: string, line: string) => {
    const file = files.get(service) ?? new LogFile(path(service));
    files.set(service, file);
    file.write(line);
  };
  const close = async () => {
    await Promise.all([...files.values()].map((file) => file.close()));
  };
  return { folder, path, read, write, close };
}

class LogFile {
  readonly #path: string;
  #stream: WriteStream;
  #bytes = 0;
  #leftOut = 0;

  constructor(path: string) {
    this.#path = path;
    this.#stream = open(path);
  }

  write(line: string): void {
    if (this.#stream.writableLength > MAX_BACKLOG_BYTES) {
      this.#leftOut += 1;
      return;
    }
    if (this.#leftOut > 0) {
      this.#stream.write(`(${this.#leftOut} lines left out, as the disk was too slow)\n`);
      this.#leftOut = 0;
    }
    this.#stream.write(`${line}\n`);
    this.#bytes += line.length + 1;
    if (this.#bytes > MAX_FILE_BYTES) this.#rotate();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#stream.end(() => resolve()));
  }

  #rotate(): void {
    this.#stream.end();
    renameSync(this.#path, `${this.#path}.1`);
    this.#stream = open(this.#path);
    this.#bytes = 0;
  }
}

function open(path: string): WriteStream {
  const stream = createWriteStream(path, { flags: 'w', mode: 0o600 });
  // A full disk must not end the stack; its processes report it where it matters.
  stream.on('error', (error) => process.stderr.write(`${path}: ${error.message}\n`));
  return stream;
}
