import { MAX_BILL_BYTES } from '@tollgate/common/file-sizes';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useChange, useRead } from '../../api/queries.ts';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import { FileButton } from '../../components/file-button.tsx';
import forms from '../../components/forms.module.css';
import { Empty, ErrorNote, Note } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { RangePicker } from '../../components/range-picker.tsx';
import { Table } from '../../components/table/table.tsx';
import { plural } from '../../format/number.ts';
import { useRange } from '../../url/range.ts';
import { BILL_COLUMNS } from './bill-columns.tsx';

/** What a provider billed, beside what was metered. */
export function BillsPage() {
  const { provider = '' } = useParams<{ provider: string }>();
  const [range, setRange] = useRange('90d');
  const bills = useRead('GET /operator/providers/{provider}/bills', { path: { provider }, query: range.query });
  const rows = bills.data?.data;
  const differing = rows?.filter(({ differs }) => differs).length ?? 0;
  return (
    <Page
      title={`Bills of ${provider}`}
      about="What the provider billed, beside what was metered. Days are in UTC."
      actions={<RangePicker range={range} onChange={setRange} presets={['30d', '90d', '1y']} />}
    >
      <Section
        title="Import"
        about="An export of the provider's usage or costs by model and day: CSV, or JSON of its API. Tokens and costs may come in two files."
      >
        <Import provider={provider} />
      </Section>
      {bills.isError && rows === undefined ? (
        <ErrorNote title="The bills could not be loaded." error={bills.error} onRetry={bills.refetch} />
      ) : (
        <Section
          title="Days"
          about={
            differing === 0 ? undefined : `${plural(differing, 'model and day differs', 'models and days differ')}`
          }
        >
          <Table
            label="Days"
            columns={BILL_COLUMNS}
            rows={rows}
            rowId={({ day, model }) => `${day} ${model}`}
            empty={<Empty title="No bill was imported for this range">Choose a file above.</Empty>}
          />
        </Section>
      )}
    </Page>
  );
}

function Import({ provider }: { provider: string }) {
  const [tolerance, setTolerance] = useState('1');
  const load = useChange('POST /operator/providers/{provider}/bills', {
    failed: null,
    invalidates: ['GET /operator/providers/{provider}/bills'],
  });
  const choose = (content: string) =>
    load.mutate({ path: { provider }, body: { content, tolerance_percent: tolerance } });
  return (
    <CallForm
      failed="Nothing was imported."
      error={load.error}
      fields={['tolerance_percent']}
      onSubmit={() => undefined}
    >
      <TextField
        label="Tolerance"
        name="tolerance_percent"
        hint="A day of a model counts as different beyond this, and beyond a cent in costs."
        suffix="%"
        value={tolerance}
        onChange={setTolerance}
      />
      <div className={forms['submit']}>
        <FileButton
          types={['.csv', '.json', '.jsonl', '.ndjson']}
          maxBytes={MAX_BILL_BYTES}
          advice="Export fewer days."
          look="primary"
          pending={load.isPending && 'Comparing'}
          onChoose={choose}
        />
      </div>
      <div role="status">
        {load.data !== undefined && (
          <Note tone={load.data.differences === 0 ? 'good' : 'warn'} title={`${load.data.format}: imported`}>
            {load.data.differences === 0
              ? 'What was billed is what was metered.'
              : `${plural(load.data.differences, 'day of a model differs', 'days of models differ')}.`}
          </Note>
        )}
      </div>
    </CallForm>
  );
}
