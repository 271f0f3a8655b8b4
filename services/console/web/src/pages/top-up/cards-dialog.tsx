import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Item } from '../../api/client.ts';
import { patch, useChange, useRead } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { ErrorNote, Nothing } from '../../components/note.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { toast } from '../../components/toast.tsx';
import { useNow } from '../../format/now.ts';
import { cardName, hasExpired } from './payment-text.ts';
import styles from './top-up.module.css';

type Card = Item<'GET /accounts/{account_id}/payment-methods'>;

/** The cards that the account has saved. */
export function CardsDialog({ onClose }: { onClose: () => void }) {
  const { accountId } = useAccount();
  const [removing, setRemoving] = useState<Card | null>(null);
  const cards = useRead('GET /accounts/{account_id}/payment-methods', { path: { account_id: accountId } });
  if (removing !== null) return <RemoveCard card={removing} onClose={() => setRemoving(null)} />;
  return (
    <Dialog title="Saved cards" isOpen onClose={onClose}>
      {cards.data !== undefined ? (
        <Cards cards={cards.data.data} onRemove={setRemoving} />
      ) : cards.isError ? (
        <ErrorNote title="The saved cards could not be loaded." error={cards.error} onRetry={cards.refetch} />
      ) : (
        <SkeletonBlock height={40} />
      )}
    </Dialog>
  );
}

function Cards({ cards, onRemove }: { cards: readonly Card[]; onRemove: (card: Card) => void }) {
  const now = useNow();
  if (cards.length === 0) {
    return <Nothing>No cards are saved. A card is saved when it pays and its payer agrees.</Nothing>;
  }
  return (
    <ul className={styles['cards']}>
      {cards.map((card) => (
        <li key={card.method_id}>
          <span>
            <span className="strong">{cardName(card.brand, card.last4)}</span>{' '}
            {hasExpired(card, now) ? (
              <Badge tone="warn">Expired {expiry(card)}</Badge>
            ) : (
              <span className="muted">expires {expiry(card)}</span>
            )}
          </span>
          <Button
            look="quiet"
            size="small"
            aria-label={`Remove ${cardName(card.brand, card.last4)}`}
            onPress={() => onRemove(card)}
          >
            Remove
          </Button>
        </li>
      ))}
    </ul>
  );
}

function expiry({ expires_month, expires_year }: Card): string {
  return `${String(expires_month).padStart(2, '0')}/${expires_year}`;
}

function RemoveCard({ card, onClose }: { card: Card; onClose: () => void }) {
  const { accountId } = useAccount();
  const name = cardName(card.brand, card.last4);
  const remove = useChange('DELETE /accounts/{account_id}/payment-methods/{method_id}', {
    failed: null,
    what: () => `The removal of ${name}`,
    applied: () => [
      patch('GET /accounts/{account_id}/payment-methods', (list) => ({
        ...list,
        data: list.data.filter((each) => each.method_id !== card.method_id),
      })),
    ],
    invalidates: ['GET /accounts/{account_id}/payment-methods', 'GET /accounts/{account_id}/automatic-top-up'],
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      action="Remove card"
      danger
      pending={remove.isPending && 'Removing'}
      isOpen
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { path: { account_id: accountId, method_id: card.method_id } },
          {
            onSuccess: () => {
              toast({ kind: 'done', message: `${name} is removed.` });
              onClose();
            },
          },
        )
      }
    >
      {remove.isError && <ErrorNote title="The card is still saved." error={remove.error} />}
      <p>
        The payment provider forgets the card for this account. Payments that were made with it stay as they are;
        automatic top-up by this card is paused.
      </p>
    </Confirm>
  );
}
