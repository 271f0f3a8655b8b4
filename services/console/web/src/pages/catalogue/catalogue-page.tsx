import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format/number.ts';
import { Compare } from './compare.tsx';
import { CatalogueErrors } from './errors-list.tsx';

type Catalogue = Output<'GET /operator/catalogue'>;
type Model = Catalogue['models'][number];

/** The catalogue in use, and what another file would change. */
export function CataloguePage() {
  const catalogue = useRead('GET /operator/catalogue', {}, { refetchInterval: 15_000 });
  return (
    <Page
      title="Catalogue"
      about="Models, prices and providers come from one file. Change the file to change them here."
    >
      {catalogue.isError && catalogue.data === undefined && (
        <ErrorNote title="The catalogue could not be loaded." error={catalogue.error} onRetry={catalogue.refetch} />
      )}
      {catalogue.isPending && <SkeletonBlock height={160} />}
      {catalogue.data !== undefined && <InUse catalogue={catalogue.data} />}
      <Section
        title="Compare"
        about="What would change with another file: prices, limits, deployments. Nothing is applied."
      >
        <Compare />
      </Section>
      {catalogue.data !== undefined && (
        <Section title="Models" about={plural(catalogue.data.models.length, 'model')}>
          <Table
            label="Models in the catalogue"
            columns={modelColumns(catalogue.data.file)}
            rows={catalogue.data.models}
            rowId={({ model }) => model}
          />
        </Section>
      )}
    </Page>
  );
}

function InUse({ catalogue }: { catalogue: Catalogue }) {
  return (
    <>
      {catalogue.errors.length > 0 && (
        <Note tone="bad" title={`The file has ${plural(catalogue.errors.length, 'error')}, and is not in use`}>
          The version below stays in force until the file is correct.
        </Note>
      )}
      {catalogue.errors.length > 0 && <CatalogueErrors errors={catalogue.errors} />}
      <Facts
        facts={[
          { label: 'File', value: <code>{catalogue.file}</code> },
          { label: 'Version in use', value: <code>{catalogue.version}</code> },
          { label: 'Loaded', value: <Time value={catalogue.loaded_at} exact /> },
        ]}
      />
    </>
  );
}

function modelColumns(file: string): Column<Model>[] {
  return [
    { id: 'model', title: 'Model', cell: ({ model }) => <code>{model}</code> },
    {
      id: 'line',
      title: 'Defined at',
      width: 200,
      grow: 1,
      phone: 'detail',
      cell: ({ line }) => (
        <span className="muted">
          {file.split('/').at(-1)} line {line}
        </span>
      ),
    },
  ];
}
