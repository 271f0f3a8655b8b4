import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Definition, definitionsIn } from './definitions.ts';
import type { Edit, MutatedCode, OtherResult, Replacement } from './mutated-code.ts';

/** Sources of a tree by path, those with planted faults as they are now. */
export class Sources {
  readonly #root: string;
  readonly #planted = new Map<string, string>();
  readonly #files = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The files with faults. */
  get planted(): ReadonlyMap<string, string> {
    return this.#planted;
  }

  /** @throws Error unless the place of each edit exists once, and has the code to replace once */
  plant(mutation: MutatedCode): void {
    for (const edit of mutation.edits) this.#edit(edit, (becomes) => becomes);
  }

  /**
   * Plants another result, which a function of that name chooses at each return.
   *
   * @param chooser gets the name, a function that computes the other result, and the sound result
   */
  plantChoice(chooser: string, name: string, edit: OtherResult): void {
    this.#edit(edit, (becomes) => `${chooser}(${JSON.stringify(name)}, () => (${becomes}), result)`);
  }

  #edit(edit: Edit, choose: Choose): void {
    const all = this.#filesIn(edit.folder).flatMap((file) => this.#definitions(file, edit.at));
    const named = all.filter(({ definition }) => definition.path.join('.') === edit.at);
    const found = (named.length > 0 ? named : all).flatMap(({ file, text, definition }) => {
      const changed = changedIn(text, definition, edit, choose);
      return changed === undefined ? [] : [{ file, changed }];
    });
    const [only, ...others] = found;
    if (only === undefined || others.length > 0) {
      const places = found.map(({ file }) => file).join(', ') || 'nowhere';
      throw new Error(`${edit.at} of ${edit.folder}, with what to change, must be in one place, and is in: ${places}`);
    }
    this.#planted.set(only.file, only.changed);
  }

  #definitions(file: string, name: string): { file: string; text: string; definition: Definition }[] {
    const text = this.#textOf(file);
    if (!name.split('.').every((one) => text.includes(one))) return [];
    const named = definitionsIn(file, text).filter(({ path }) => `.${path.join('.')}`.endsWith(`.${name}`));
    return named.map((definition) => ({ file, text, definition }));
  }

  #filesIn(folder: string): readonly string[] {
    const known = this.#files.get(folder);
    if (known !== undefined) return known;
    const exclude = ['**/*.test.ts', '**/node_modules/**', '**/testing/**', '**/web/**'];
    const files = globSync(`${folder}/**/*.ts`, { cwd: this.#root, exclude }).sort();
    this.#files.set(folder, files);
    return files;
  }

  #textOf(file: string): string {
    return this.#planted.get(file) ?? readFileSync(join(this.#root, file), 'utf8');
  }
}

/** The expression to return for what a fault returns. */
type Choose = (becomes: string) => string;

/** The source with the edit in a definition; undefined if the edit is not about this definition. */
function changedIn(text: string, definition: Definition, edit: Edit, choose: Choose): string | undefined {
  return 'becomes' in edit ? withResult(text, definition, edit, choose) : withReplacement(text, definition, edit);
}

function withReplacement(text: string, { start, end }: Definition, { find, replace }: Replacement): string | undefined {
  const code = text.slice(start, end);
  const [match, ...others] = [...code.matchAll(patternOf(find))];
  if (match === undefined || others.length > 0) return undefined;
  const at = start + match.index;
  return text.slice(0, at) + replace + text.slice(at + match[0].length);
}

/** Matches the code however it is broken into lines. */
function patternOf(code: string): RegExp {
  const tokens = code.match(/[\w$]+|[^\w$\s]/g) ?? [];
  const escaped = tokens.map((token) => token.replace(/\W/g, '\\$&'));
  return new RegExp(escaped.map((token) => (/^\\[)\]}]$/.test(token) ? `,?\\s*${token}` : token)).join('\\s*'), 'g');
}

function withResult(text: string, { body }: Definition, { becomes }: OtherResult, choose: Choose): string | undefined {
  if (body === undefined) return undefined;
  const code = text.slice(body.start, body.end);
  const block = body.isExpression ? `{ return ${code}; }` : code;
  const asyncWord = body.isAsync ? 'async ' : '';
  const sound = body.isGenerator ? `(${asyncWord}function* () ${block}).bind(this)` : `${asyncWord}() => ${block}`;
  const call = body.isGenerator ? 'yield* sound()' : body.isAsync ? 'await sound()' : 'sound()';
  const wrapped = `{ const sound = ${sound}; const result = ${call}; return ${choose(becomes)}; }`;
  return text.slice(0, body.start) + wrapped + text.slice(body.end);
}
