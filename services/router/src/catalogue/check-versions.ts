import type { Model } from '@tollgate/proto/router';
import { partsOfVersion, UNLABELLED } from './price.ts';
import type { Finding } from './problem.ts';

/**
 * Checks that a price's label stays the name of its rates, within a catalogue and against the one loaded before: bills
 * name it, and one name must not stand for two prices.
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
      const fault = faultOf(label, digest, own, earlier);
      if (!own.has(label)) own.set(label, digest);
      if (fault === undefined) return [];
      const path = ['models', index, ...(isList(index) ? ['prices', at] : ['price']), 'version'];
      return [{ path, message: fault }];
    });
  });
}

function faultOf(
  label: string,
  digest: string,
  own: ReadonlyMap<string, string>,
  earlier: ReadonlyMap<string, string> | undefined,
): string | undefined {
  if ((own.get(label) ?? digest) !== digest) return `${label} is the version of another price of this model already`;
  if ((earlier?.get(label) ?? digest) !== digest)
    return `${label} had other rates when the catalogue was loaded before: a changed price needs another version`;
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
