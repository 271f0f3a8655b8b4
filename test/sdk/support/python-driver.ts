import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import {
  type Ask,
  type Driver,
  type Other,
  type OtherResponse,
  type ProtocolName,
  type SdkResponse,
  type Target,
  type ToolRun,
  type ToolRunResult,
  Unsupported,
} from '../scenario.ts';
import { at, textOr } from './json.ts';

const FOLDER = join(CHECKOUT, 'test/sdk/python');
const ENVIRONMENTS = join(CHECKOUT, '.cache/sdk-test');
const OFFICIAL = join(FOLDER, 'requirements.txt');
const FILES: Readonly<Record<ProtocolName, string>> = {
  'openai-chat': 'openai_chat.py',
  'openai-responses': 'openai_responses.py',
  'anthropic-messages': 'anthropic_messages.py',
  gemini: 'gemini.py',
};

/** Creates an environment with these packages if it is missing; the official SDKs by default. @returns its python's path */
export async function preparePython(requirements = OFFICIAL, name = 'venv'): Promise<string> {
  const folder = join(ENVIRONMENTS, name);
  const { stdout } = await promisify(execFile)(join(FOLDER, 'prepare'), [folder, requirements]);
  return stdout.trim();
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** A driver in Python: one process that reads requests and writes results as JSON lines. */
export class PythonDriver implements Driver {
  readonly language = 'Python';
  readonly protocol: ProtocolName;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  constructor(python: string, protocol: ProtocolName) {
    this.protocol = protocol;
    const child = spawn(python, [join(FOLDER, FILES[protocol])], {
      // The SDKs must not read addresses and keys from this process's environment.
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    child.on('exit', (code) => this.#fail(new Error(`the Python driver of ${protocol} ended with ${String(code)}`)));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
  }

  async ask(target: Target, ask: Ask): Promise<SdkResponse> {
    return (await this.#call('ask', target, ask)) as SdkResponse;
  }

  async other(target: Target, other: Other): Promise<OtherResponse> {
    return (await this.#call('other', target, other)) as OtherResponse;
  }

  async run(target: Target, run: ToolRun): Promise<ToolRunResult> {
    return (await this.#call('run', target, run)) as ToolRunResult;
  }

  stop(): Promise<void> {
    if (this.#process.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#process.once('exit', () => resolve());
      this.#process.stdin?.end();
    });
  }

  #call(method: string, target: Target, argument: object): Promise<unknown> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#process.stdin?.write(`${JSON.stringify({ number, method, target, argument })}\n`);
    });
  }

  #take(line: string): void {
    const reply: unknown = JSON.parse(line);
    const number = Number(at(reply, 'number'));
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    const unsupported = at(reply, 'unsupported');
    const fault = textOr(reply, 'fault');
    if (typeof unsupported === 'string') waiting?.reject(new Unsupported(unsupported));
    else if (fault !== '') waiting?.reject(new Error(fault));
    else waiting?.resolve(at(reply, 'result'));
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
