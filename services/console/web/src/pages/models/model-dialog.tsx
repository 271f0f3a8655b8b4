import { useAccount } from '../../account/account-context.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { count } from '../../format/number.ts';
import { Announced } from './announced.tsx';
import { Availability, tryAddress } from './columns.tsx';
import { PriceTable } from './price-table.tsx';
import { canChat, type Model, modelOf, protocolName } from './prices.ts';

interface ModelDialogProps {
  models: readonly Model[];
  /** Id or alias. */
  name: string;
  onClose: () => void;
}

/** All about one model, by its address. */
export function ModelDialog({ models, name, onClose }: ModelDialogProps) {
  const { href, is } = useAccount();
  const model = modelOf(models, name);
  return (
    <Dialog title={model?.display_name ?? name} isOpen onClose={onClose} size="wide">
      {model === undefined ? (
        <p>The catalogue has no model “{name}”. It may have been removed or renamed.</p>
      ) : (
        <div className="stack">
          <Facts facts={facts(model)} />
          {model.price === null ? (
            <p className="muted">This model has no price in force yet.</p>
          ) : (
            <PriceTable price={model.price} />
          )}
          {model.next_prices.length > 0 && (
            <div>
              <p className="strong">Announced</p>
              <Announced models={[model]} />
            </div>
          )}
          {model.catalogue !== null && (
            <p className="muted">
              Change it in <code>{fileName(model.catalogue.file)}</code>, line {model.catalogue.line}.
            </p>
          )}
        </div>
      )}
      <DialogActions>
        <ButtonLink href={`${href('/requests')}?${new URLSearchParams({ model: model?.model ?? name, range: '7d' })}`}>
          Show requests
        </ButtonLink>
        {model !== undefined && canChat(model) && is('operator', 'owner', 'admin', 'developer') && (
          <ButtonLink look="primary" href={tryAddress(href, model.model)}>
            Try it
          </ButtonLink>
        )}
      </DialogActions>
    </Dialog>
  );
}

function facts(model: Model) {
  const limit = (value: number | null) => (value === null ? 'No limit' : count(value));
  return [
    { label: 'Availability', value: <Availability model={model} /> },
    {
      label: 'Model id',
      value: (
        <span className="row">
          <code>{model.model}</code>
          <CopyButton text={model.model} what="model id" />
        </span>
      ),
    },
    ...(model.aliases.length === 0 ? [] : [{ label: 'Aliases', value: <code>{model.aliases.join(', ')}</code> }]),
    { label: 'Maker', value: model.owned_by },
    { label: 'Protocols', value: model.protocols.map(protocolName).join(', ') },
    { label: 'Input', value: model.input_modalities.join(', ') },
    { label: 'Output', value: model.output_modalities.join(', ') },
    { label: 'Context window', value: `${count(model.context_window)} tokens` },
    { label: 'Largest output', value: `${count(model.max_output_tokens)} tokens` },
    { label: 'Requests per minute', value: limit(model.limits.requests_per_minute) },
    { label: 'Tokens per minute', value: limit(model.limits.tokens_per_minute) },
  ];
}

/** The last part of a path. */
function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
