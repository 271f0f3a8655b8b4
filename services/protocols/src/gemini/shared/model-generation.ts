/** `gemini-2.5-flash` is of generation 2. */
const GENERATION = /(?:^|\/)gemini-(\d+)/;
const LATEST = /(?:^|\/)gemini-[a-z-]+-latest$/;

/** The generation of a Gemini model, whose settings differ; undefined for names that do not tell it. */
export function generationOf(model: string): number | undefined {
  const found = GENERATION.exec(model)?.[1];
  if (found !== undefined) return Number(found);
  // Google's moving names are of the third at least.
  return LATEST.test(model) ? 3 : undefined;
}
