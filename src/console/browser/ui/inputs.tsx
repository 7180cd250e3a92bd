import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly class?: string;
  readonly children: ComponentChildren;
  /** Called by the submit button and Enter. */
  submit(): unknown;
}

/** A form that is handled by the page. */
export function Form({ class: name, children, submit }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {children}
    </form>
  );
}

interface TextInputProps {
  readonly label: string;
  readonly value: string;
  set(value: string): void;
  /** The number of lines; a single line without it. */
  readonly rows?: number;
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
}

/** A text with its label. */
export function TextInput({ label, value, set, rows, isRequired = false, isFixed = false }: TextInputProps) {
  const shared = {
    value,
    required: isRequired,
    readOnly: isFixed,
    spellcheck: false,
    onInput: (event: { readonly currentTarget: { readonly value: string } }): void =>
      set(event.currentTarget.value),
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside
    <label>
      {label}
      {rows === undefined ? <input {...shared} /> : <textarea rows={rows} {...shared} />}
    </label>
  );
}

interface CheckInputProps {
  readonly label: string;
  readonly value: boolean;
  set(value: boolean): void;
  readonly isFixed?: boolean;
}

/** Yes or no. */
export function CheckInput({ label, value, set, isFixed = false }: CheckInputProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        disabled={isFixed}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}
