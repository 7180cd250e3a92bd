import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../i18n.js';
import { Form } from './inputs.js';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called for Escape and the close button. */
  close(): void;
  /** Called by the main button and Enter; without it there is only a close button. */
  submit?(): void;
  /** The text of the main button. */
  readonly action?: string;
  readonly isDangerous?: boolean;
}

/** A modal dialog. The browser keeps the focus inside and returns it afterwards. */
export function Dialog({ title, children, close, submit, action, isDangerous }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current as HTMLDialogElement;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <Form submit={() => submit?.()}>
        <h2 id={heading} class="dialog-title">
          {title}
        </h2>
        <div class="dialog-body">{children}</div>
        <div class="buttons">
          <button type="button" onClick={close}>
            {submit === undefined ? t('Close') : t('Cancel')}
          </button>
          {submit !== undefined && (
            <button type="submit" class={isDangerous === true ? 'main danger' : 'main'}>
              {action ?? t('OK')}
            </button>
          )}
        </div>
      </Form>
    </dialog>
  );
}
