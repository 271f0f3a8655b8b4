import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import { at, textOr } from '../support/json.ts';
import { preparePython } from '../support/python-driver.ts';
import type { Framework } from './clients.ts';
import type { Program, ProgramResult } from './program.ts';

const FOLDER = join(CHECKOUT, 'test/sdk/frameworks');
export const JAVASCRIPT = join(FOLDER, 'javascript');
export const PYTHON = join(FOLDER, 'python');

const FILES: Readonly<Record<Framework, string>> = {
  'ai-sdk': 'javascript/ai-sdk.ts',
  'langchain-js': 'javascript/langchain.ts',
  'openai-agents-js': 'javascript/openai-agents.ts',
  mistral: 'javascript/mistral.ts',
  'langchain-python': 'python/run_langchain.py',
  'pydantic-ai': 'python/run_pydantic_ai.py',
  'openai-agents-python': 'python/run_openai_agents.py',
};

/** Installs the frameworks at the versions of their lock files, if they are not. @returns the path of a python with them */
export async function prepareFrameworks(): Promise<string> {
  const [python] = await Promise.all([
    preparePython(join(PYTHON, 'requirements.txt'), 'venv-frameworks'),
    prepareJavaScript(),
  ]);
  return python;
}

async function prepareJavaScript(): Promise<void> {
  const lock = join(JAVASCRIPT, 'package-lock.json');
  const stamp = join(JAVASCRIPT, 'node_modules/.made-of');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return;
  process.stderr.write('SDK tests: installing the JavaScript frameworks\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['ci', ...flags], { cwd: JAVASCRIPT });
  cpSync(lock, stamp);
}

interface Waiting {
  resolve: (result: ProgramResult) => void;
  reject: (error: Error) => void;
}

/** A process with one framework, which reads programs and writes results as JSON lines. */
export class FrameworkDriver {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;

  constructor(framework: Framework, python: string) {
    const file = FILES[framework];
    const child = spawn(file.endsWith('.py') ? python : process.execPath, [join(FOLDER, file)], {
      // The frameworks must not read addresses and keys from this process's environment.
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    child.on('exit', (code) => this.#fail(new Error(`the driver of ${framework} ended with ${String(code)}`)));
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line));
  }

  run(program: Program): Promise<ProgramResult> {
    if (this.#process.exitCode !== null) return Promise.reject(new Error('the driver has ended'));
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#process.stdin?.write(`${JSON.stringify({ number, argument: program })}\n`);
    });
  }

  stop(): Promise<void> {
    if (this.#process.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#process.once('exit', () => resolve());
      this.#process.stdin?.end();
    });
  }

  #take(line: string): void {
    const reply: unknown = JSON.parse(line);
    const number = Number(at(reply, 'number'));
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    const fault = textOr(reply, 'fault');
    if (fault !== '') waiting?.reject(new Error(fault));
    else waiting?.resolve(at(reply, 'result') as ProgramResult);
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
