import { MAX_CATALOGUE_BYTES } from '@tollgate/common/file-sizes';
import { useRef, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import { FileButton } from '../../components/file-button.tsx';
import forms from '../../components/forms.module.css';
import { Money } from '../../components/money.tsx';
import { Empty, Note } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { plural } from '../../format/number.ts';
import { CatalogueErrors } from './errors-list.tsx';
import { changeInPercent } from './percent.ts';

type Comparison = Output<'POST /operator/catalogue/compare'>;
type Change = Comparison['changes'][number];

/** Compares a pasted or chosen file with the catalogue in use. */
export function Compare() {
  const [content, setContent] = useState('');
  const result = useRef<HTMLDivElement>(null);
  const compare = useChange('POST /operator/catalogue/compare', { failed: null });
  const run = (text: string) =>
    compare.mutate({ body: { content: text } }, { onSuccess: () => result.current?.focus() });
  const choose = (text: string) => {
    setContent(text);
    run(text);
  };
  return (
    <>
      <CallForm
        failed="The file was not compared."
        error={compare.error}
        fields={['content']}
        onSubmit={() => run(content)}
      >
        <TextField
          label="Content of the file"
          name="content"
          rows={8}
          mono
          value={content}
          onChange={setContent}
          placeholder="Paste a catalogue file, or choose one"
        />
        <div className={forms['submit']}>
          <Button
            look="primary"
            type="submit"
            isDisabled={content.trim() === ''}
            pending={compare.isPending && 'Comparing'}
          >
            Compare
          </Button>
          <FileButton types={['.yaml', '.yml', '.json']} maxBytes={MAX_CATALOGUE_BYTES} onChoose={choose} />
        </div>
      </CallForm>
      <div ref={result} tabIndex={-1} role="status" className="stack">
        {compare.data !== undefined && <Result comparison={compare.data} />}
      </div>
    </>
  );
}

function Result({ comparison: { errors, changes, last_month: lastMonth } }: { comparison: Comparison }) {
  if (errors.length > 0) {
    return (
      <>
        <Note tone="bad" title={`This file has ${plural(errors.length, 'error')}`}>
          It would not be used. Correct it, then compare again.
        </Note>
        <CatalogueErrors errors={errors} />
      </>
    );
  }
  const groups = [...Map.groupBy(changes, ({ model }) => model)];
  if (changes.length === 0) return <Empty title="No changes">This file means the same as the catalogue in use.</Empty>;
  return (
    <>
      <p className="strong">
        {plural(changes.length, 'change')} of {plural(groups.length, 'model')}
      </p>
      <p>
        {lastMonth === null ? (
          'There are too many accounts to say what last month would have cost.'
        ) : lastMonth.models.length === 0 ? (
          'Last month would have cost the same: no model that was used has another base price.'
        ) : (
          <>
            Last month these models cost <Estimate estimate={lastMonth} />.{' '}
            <span className="muted">By base prices: tiers, options and discounts stay as they were.</span>
          </>
        )}
      </p>
      {groups.map(([model, rows]) => (
        <section key={model} className="stack" aria-label={model}>
          <p className="strong">
            <code>{model === '' ? 'Providers' : model}</code>{' '}
            {lastMonth?.models
              .filter((each) => each.model === model)
              .map((each) => (
                <span key={model} className="muted">
                  Last month: <Estimate estimate={each} />
                </span>
              ))}
          </p>
          <Table
            label={`Changes of ${model === '' ? 'providers' : model}`}
            columns={COLUMNS}
            rows={rows}
            rowId={({ field }) => field}
          />
        </section>
      ))}
    </>
  );
}

/** `$120.00, with this file $132.00 (+10 %)` */
function Estimate({ estimate: { cost, with_file: withFile } }: { estimate: { cost: string; with_file: string } }) {
  const change = changeInPercent(cost, withFile);
  return (
    <>
      <Money value={cost} />, with this file <Money value={withFile} />
      {change !== null && ` (${change})`}
    </>
  );
}

const COLUMNS: Column<Change>[] = [
  { id: 'field', title: 'What', cell: ({ field }) => field },
  {
    id: 'before',
    title: 'Now',
    align: 'end',
    phone: 'value',
    cell: ({ before }) => (before === null ? <span className="muted">none</span> : before),
  },
  {
    id: 'after',
    title: 'With this file',
    align: 'end',
    phone: 'end',
    cell: ({ after }) =>
      after === null ? <span className="muted">removed</span> : <span className="strong">{after}</span>,
  },
  {
    id: 'percent',
    title: 'Change',
    width: 96,
    align: 'end',
    cell: ({ before, after }) => changeInPercent(before, after) ?? <span className="muted">–</span>,
  },
];
