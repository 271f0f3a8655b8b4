import { useMemo } from 'react';
import { Link, useSearch } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { FilterChips } from '../../components/filter-chips.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { RangePicker, ZonePicker } from '../../components/range-picker.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { parseMoney } from '../../format/money.ts';
import { useZone } from '../../format/zone.ts';
import { useRange } from '../../url/range.ts';
import { changeParams, useSearchParams } from '../../url/search-params.ts';
import { type Place, placeQuery, readPlace } from '../shared/place.ts';
import { usePlaceFilters } from '../shared/use-place-filters.ts';
import { BalanceFacts } from './balance-facts.tsx';
import { ChartChoices, useChartChoices } from './chart-choices.tsx';
import { ExportCosts } from './export-costs.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MEASURES } from './measure.ts';
import styles from './overview.module.css';
import { Refused } from './refused.tsx';
import { Shares } from './shares.tsx';
import { UsageOverTime } from './usage-over-time.tsx';
import { BY_MODEL, bucketsOf, byKey } from './usage-series.ts';

export type Overview = Output<'GET /accounts/{account_id}/overview'>;

const REFRESH_MS = 15_000;

/** Balance, forecast, spend over time, and what was refused: one call. */
export function OverviewPage() {
  const { accountId, is } = useAccount();
  const seesKeys = is('operator', 'owner', 'admin', 'developer');
  const choices = useChartChoices(seesKeys);
  const [params] = useSearchParams();
  const place = readPlace(params);
  const [range, setRange] = useRange('7d');
  const [zone] = useZone();
  const buckets = useMemo(() => bucketsOf(range, zone), [range, zone]);
  const overview = useRead(
    'GET /accounts/{account_id}/overview',
    {
      path: { account_id: accountId },
      query: { ...range.query, interval: buckets.interval, group_by: choices.group, ...placeQuery(place) },
    },
    { keepPrevious: true, refetchInterval: REFRESH_MS },
  );
  const filters = usePlaceFilters(place, overview.data?.projects.map(({ project_id }) => project_id) ?? []);
  const keys = overview.data?.keys;
  // While the other grouping loads, the last one stays.
  const isByKey =
    overview.data?.usage[0] === undefined ? choices.group === 'key' : overview.data.usage[0].model === null;
  const grouping = useMemo(() => (isByKey ? byKey(keys ?? []) : BY_MODEL), [isByKey, keys]);
  return (
    <Page
      title="Overview"
      actions={
        <>
          <RangePicker range={range} onChange={setRange} />
          <ZonePicker />
          <ExportCosts />
        </>
      }
    >
      {overview.data === undefined ? (
        overview.isError ? (
          <ErrorNote title="The overview could not be loaded." error={overview.error} onRetry={overview.refetch} />
        ) : (
          <>
            <SkeletonBlock height={48} />
            <SkeletonBlock height={260} />
          </>
        )
      ) : (
        <>
          <BalanceFacts overview={overview.data} />
          {filters.length > 0 && <FilterChips filters={filters} />}
          {overview.data.has_request ? (
            <>
              <UsageOverTime
                usage={overview.data.usage}
                range={overview.data.range}
                buckets={buckets}
                grouping={grouping}
                measure={MEASURES[choices.measure]}
                onRange={(zoomed) => setRange(zoomed, { push: true })}
                actions={<ChartChoices {...choices} seesKeys={seesKeys} />}
              />
              <Lists overview={overview.data} place={place} />
            </>
          ) : (
            <FirstSteps hasCredit={parseMoney(overview.data.balance.available) > 0n} hasKey={overview.data.has_key} />
          )}
        </>
      )}
    </Page>
  );
}

function Lists({ overview, place }: { overview: Overview; place: Place }) {
  const { accountId, href } = useAccount();
  const search = useSearch();
  const requestsOf = (model: string) => {
    const { projectId, ownerId } = place;
    return href(
      `/requests${changeParams('', { model, project: projectId ?? undefined, owner: ownerId ?? undefined })}`,
    );
  };
  const hasProjects = overview.projects.some(({ project_id }) => project_id !== accountId);
  return (
    <div className={styles['lists']}>
      {overview.keys.length > 0 && (
        <Section title="Keys by spend">
          <Shares
            rows={overview.keys.map((key) => ({
              id: key.key_id,
              label: <Link href={href(`/keys/${key.key_id}`)}>{key.name}</Link>,
              ...key,
            }))}
          />
        </Section>
      )}
      {place.projectId === null && hasProjects && (
        <Section title="Projects by spend" about="Where requests were made: what a moved key spent before stays there.">
          <Shares
            rows={overview.projects.map((project) => ({
              id: project.project_id,
              label: (
                <Link href={href(`/overview${changeParams(search, { project: project.project_id })}`)}>
                  {project.name ?? 'A deleted project'}
                </Link>
              ),
              ...project,
            }))}
          />
        </Section>
      )}
      <Section title="Models by spend">
        <Shares
          rows={overview.models.map((model) => ({
            id: model.model,
            label: <Link href={requestsOf(model.model)}>{model.model}</Link>,
            ...model,
          }))}
        />
      </Section>
      {overview.tags.length > 0 && (
        <Section title="Tags by spend" about="By the tags that keys carry now.">
          <Shares
            rows={overview.tags.map((tag) => ({
              id: `${tag.name}:${tag.value}`,
              label: `${tag.name}: ${tag.value}`,
              ...tag,
            }))}
          />
        </Section>
      )}
      <Refused refused={overview.refused} />
    </div>
  );
}
