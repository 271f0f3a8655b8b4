import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { type Finding, formatPath, type Path, type Problem } from './problem.ts';

/** A parsed YAML or JSON text with the position of every value. */
export interface SourceDocument {
  /** The plain value, with prices as their source text. */
  value: unknown;
  /** Adds the place in the text to a finding: that of the nearest existing node. */
  locate: (finding: Finding) => Problem;
  /** A problem at an offset of the text, with the path there. */
  locateOffset: (offset: number, message: string) => Problem;
  /** Whether a value exists at a path. */
  has: (path: Path) => boolean;
}

export type DocumentResult = { ok: true; document: SourceDocument } | { ok: false; problems: Problem[] };

/** Maximum aliases that are expanded, so that a small file cannot become a huge document. */
const MAX_ALIASES = 1_000;

/** Parses a text; a syntax error is reported with its place, without quoting the text. */
export function readDocument(text: string): DocumentResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return { ok: false, problems: faults.map(({ pos, message }) => ({ ...place(lines, pos[0]), path: '', message })) };
  }
  keepPriceText(document);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return {
      ok: false,
      problems: [{ line: 1, column: 1, path: '', message: 'has too many or circular aliases' }],
    };
  }
  return {
    ok: true,
    document: {
      value,
      locate: ({ path, message }) => ({ ...place(lines, offsetOf(document, path)), path: formatPath(path), message }),
      locateOffset: (offset, message) => ({
        ...place(lines, offset),
        path: formatPath(pathAt(document, offset)),
        message,
      }),
      has: (path) => find(document, path).complete,
    },
  };
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Fields of a price whose numbers are not rates. */
const NO_RATES: ReadonlySet<unknown> = new Set(['above_input_tokens']);

/** Replaces the rates within every `price` and `prices` by their source text, because a parsed number may be rounded. */
function keepPriceText(document: Document): void {
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || (pair.key.value !== 'price' && pair.key.value !== 'prices')) return;
      if (isMap(pair.value) || isSeq(pair.value)) visit(pair.value, { Pair: keepRateText });
    },
  });
}

function keepRateText(_: unknown, { key, value }: Pair): void {
  if (isScalar(key) && NO_RATES.has(key.value)) return;
  if (isScalar(value) && typeof value.value === 'number' && value.source !== undefined) value.value = value.source;
}

/** The node at a path, or the deepest one on the way to it. For a map's entry the position is that of its key. */
function find(document: Document, path: Path): { offset: number; complete: boolean } {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) return { offset, complete: false };
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number' && key < node.items.length) {
      node = node.items[key];
      offset = startOf(node) ?? offset;
    } else {
      return { offset, complete: false };
    }
  }
  return { offset: isScalar(node) || isAlias(node) ? (startOf(node) ?? offset) : offset, complete: true };
}

function offsetOf(document: Document, path: Path): number {
  return find(document, path).offset;
}

function startOf(node: unknown): number | undefined {
  if (!isNodeWithRange(node)) return undefined;
  return node.range?.[0];
}

function isNodeWithRange(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node;
}

/** The path of the scalar that covers an offset; empty when none does, as within a comment. */
function pathAt(document: Document, offset: number): Path {
  let found: Path = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      const range = node.range;
      if (range == null || offset < range[0] || offset >= range[1]) return undefined;
      const path: PropertyKey[] = [];
      let child: unknown = node;
      for (const ancestor of [...ancestors].reverse()) {
        if (isPair(ancestor) && isScalar(ancestor.key)) path.unshift(String(ancestor.key.value));
        if (isSeq(ancestor)) path.unshift(ancestor.items.indexOf(child));
        child = ancestor;
      }
      found = key === 'key' ? path.slice(0, -1) : path;
      return visit.BREAK;
    },
  });
  return found;
}
