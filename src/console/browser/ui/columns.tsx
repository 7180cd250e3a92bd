import type { ComponentChildren } from 'preact';
import { t } from '../i18n.js';
import type { Column } from './layout.js';

/** The column of servers, if there are several. */
export function serverColumn<Row extends { readonly server: string }>(
  servers: readonly unknown[],
): readonly Column<Row>[] {
  return servers.length > 1 ? [{ title: t('Server'), cell: ({ server }) => <code>{server}</code> }] : [];
}

/** The column of buttons that change a row; none in a console that only reads. */
export function actionsColumn<Row>(
  isReadOnly: boolean,
  buttons: (row: Row) => ComponentChildren,
): readonly Column<Row>[] {
  return isReadOnly
    ? []
    : [
        {
          title: t('Actions'),
          hasButtons: true,
          cell: (row) => <span class="cell-actions">{buttons(row)}</span>,
        },
      ];
}

interface RowButtonProps {
  readonly text: string;
  /** What it does with which row, for screen readers. */
  readonly label: string;
  run(): unknown;
}

/** A button in a row. */
export function RowButton({ text, label, run }: RowButtonProps) {
  return (
    <button type="button" class="quiet" aria-label={label} onClick={() => void run()}>
      {text}
    </button>
  );
}

export function EditButton({ name, run }: { readonly name: string | number; run(): unknown }) {
  return <RowButton text={t('Edit')} label={t('Edit {name}', { name })} run={run} />;
}

export function RemoveButton({ name, run }: { readonly name: string | number; run(): unknown }) {
  return <RowButton text={t('Remove')} label={t('Remove {name}', { name })} run={run} />;
}
