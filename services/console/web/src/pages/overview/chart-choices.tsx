import { ChevronDownIcon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { MEASURES, type MeasureName } from './measure.ts';

export type GroupName = 'model' | 'key';

const GROUPS = { model: 'By model', key: 'By key' } as const;

/** What the chart shows, in the address: `measure=tokens`, `by=key`. */
export function useChartChoices(seesKeys: boolean): { measure: MeasureName; group: GroupName } {
  const [params] = useSearchParams();
  return {
    measure: params['measure'] === 'tokens' ? 'tokens' : 'spend',
    group: seesKeys && params['by'] === 'key' ? 'key' : 'model',
  };
}

interface ChartChoicesProps {
  measure: MeasureName;
  group: GroupName;
  seesKeys: boolean;
}

/** Switches the chart between spend and tokens, models and keys. */
export function ChartChoices({ measure, group, seesKeys }: ChartChoicesProps) {
  const [, setParams] = useSearchParams();
  return (
    <>
      <Menu
        look="secondary"
        size="small"
        entries={(['spend', 'tokens'] as const).map((each) => ({
          label: MEASURES[each].name,
          chosen: each === measure,
          onAction: () => setParams({ measure: each === 'spend' ? undefined : each }),
        }))}
      >
        <span className="hidden">Show: </span>
        {MEASURES[measure].name}
        <ChevronDownIcon />
      </Menu>
      {seesKeys && (
        <Menu
          look="secondary"
          size="small"
          entries={(['model', 'key'] as const).map((each) => ({
            label: GROUPS[each],
            chosen: each === group,
            onAction: () => setParams({ by: each === 'model' ? undefined : each }),
          }))}
        >
          <span className="hidden">Group: </span>
          {GROUPS[group]}
          <ChevronDownIcon />
        </Menu>
      )}
    </>
  );
}
