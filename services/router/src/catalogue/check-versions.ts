import type { Model } from '@tollgate/proto/router';
import { partsOfVersion, UNLABELLED } from './price.ts';
import type { Finding } from './problem.ts';

/**
 * Checks that a price's label keeps its rates, within a catalogue and compared with the one loaded before: bills show it, so
 * one label must not mean two prices.
 *
 * @param before models of the catalogue that was loaded before; none at the start
 * @param isList whether the model at that place of the catalogue has a list of prices
 */
export function checkVersions(
  models: readonly Model[],
  before: readonly Model[],
  isList: (model: number) => boolean,
): Finding[] {
  const known = new Map(before.map((model) => [model.modelId, digestsOf(model)]));
  return models.flatMap((model, index) => {
    const earlier = known.get(model.modelId);
    const own = new Map<string, string>();
    return model.prices.flatMap(({ version }, at) => {
      const { label, digest } = partsOfVersion(version);
      if (label === UNLABELLED) return [];
      const problem = problemOf(label, digest, own, earlier);
      if (!own.has(label)) own.set(label, digest);
      if (problem === undefined) return [];
      const path = ['models', index, ...(isList(index) ? ['prices', at] : ['price']), 'version'];
      return [{ path, message: problem }];
    });
  });
}

function problemOf(
  label: string,
  digest: string,
  own: ReadonlyMap<string, string>,
  earlier: ReadonlyMap<string, string> | undefined,
): string | undefined {
  if ((own.get(label) ?? digest) !== digest) return `${label} is already the version of another price of this model`;
  if ((earlier?.get(label) ?? digest) !== digest)
    return `${label} had other rates in the catalogue loaded before: a changed price needs a new version`;
  return undefined;
}

function digestsOf(model: Model): Map<string, string> {
  return new Map(
    model.prices.map(({ version }) => {
      const { label, digest } = partsOfVersion(version);
      return [label, digest];
    }),
  );
}
