import { useMemo, useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { TextField } from '../../components/field.tsx';
import { Empty, ErrorNote } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Table } from '../../components/table/table.tsx';
import { plural } from '../../format/number.ts';
import { useSearchParams } from '../../url/search-params.ts';
import { useSort } from '../../url/sort.ts';
import type { Account } from '../settings/settings-page.tsx';
import { isZero, trimZeros } from '../shared/decimal.ts';
import { Announced } from './announced.tsx';
import { modelColumns } from './columns.tsx';
import { ModelDialog } from './model-dialog.tsx';
import styles from './models.module.css';
import { type Model, matching } from './prices.ts';

/** Models and what they cost. The catalogue file is the only place where they are changed. */
export function ModelsPage() {
  const { model: shown } = useParams<{ model?: string }>();
  const { accountId, href, is } = useAccount();
  const [, navigate] = useLocation();
  const path = { account_id: accountId };
  const models = useRead('GET /accounts/{account_id}/models', { path });
  const account = useRead('GET /accounts/{account_id}', { path });
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState(params['q'] ?? '');
  const [sort, setSort] = useSort();
  const canTry = is('operator', 'owner', 'admin', 'developer');
  const columns = useMemo(() => modelColumns(href, canTry), [href, canTry]);
  const all = models.data?.data;
  const rows = all === undefined ? undefined : matching(all, text);
  // Filter and sort stay while a model is open over the list.
  const search = useSearch();
  const withSearch = (page: string) => (search === '' ? page : `${page}?${search}`);
  const hrefOf = ({ model }: Model) => withSearch(href(`/models/${encodeURIComponent(model)}`));
  return (
    <Page title="Models" about={aboutPrices(account.data)}>
      <div className={styles['find']} hidden={all?.length === 0}>
        <TextField
          label="Find a model"
          hideLabel
          placeholder="Find by name, id or maker"
          type="search"
          value={text}
          onChange={(next) => {
            setText(next);
            setParams({ q: next });
          }}
        />
        <span className="muted" role="status">
          {/* Its line is kept while the models load. */}
          {rows === undefined ? '\u00a0' : plural(rows.length, 'model')}
        </span>
      </div>
      {models.isError && all === undefined ? (
        <ErrorNote title="The models could not be loaded." error={models.error} onRetry={models.refetch} />
      ) : (
        <Table
          label="Models"
          columns={columns}
          rows={rows}
          rowId={({ model }) => model}
          href={hrefOf}
          sort={sort}
          onSort={setSort}
          isFaded={({ enabled }) => !enabled}
          empty={
            text === '' ? (
              <Empty title="No models">
                <p>The catalogue file of this gateway defines no models.</p>
              </Empty>
            ) : (
              <Empty title="No model found">
                <p>No name, id, alias or maker contains “{text}”.</p>
              </Empty>
            )
          }
        />
      )}
      {all?.some(({ next_prices }) => next_prices.length > 0) && (
        <Section title="Announced prices">
          <Announced models={all} />
        </Section>
      )}
      {shown !== undefined && all !== undefined && (
        <ModelDialog models={all} name={shown} onClose={() => navigate(withSearch(href('/models')))} />
      )}
    </Page>
  );
}

/** Only operators get the rules: to others, the account's prices are list prices. */
function aboutPrices(account: Pick<Account, 'discount_percent' | 'price_rules'> | undefined): string {
  const percent = account?.discount_percent ?? '0';
  return [
    (account?.price_rules ?? []).length > 0
      ? 'US dollars per million tokens, at prices of the account’s own.'
      : 'US dollars per million tokens, at list price.',
    ...(isZero(percent) ? [] : [`This account pays ${trimZeros(percent)}% less.`]),
  ].join(' ');
}
