import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { Field } from "../../shared/ui/field.tsx";
import { Icon } from "../../shared/ui/icon.tsx";
import { IconButton, Key } from "../../shared/ui/key.tsx";
import css from "./profile.module.css";

/* What the forms of password and PIN have in common. */

/** What stands under the fields by their names, and as `form` above the button what is about none of them. */
export type FieldErrors<Name extends string> = { readonly [N in Name | "form"]?: string };

/**
 * The fields of a form that is sent as a whole. `send` resolves with what went wrong, or undefined when it is saved: then the fields are empty
 * again, and otherwise the hand is put on the first one that is wrong.
 */
export function useFields<Name extends string>(
  empty: Readonly<Record<Name, string>>,
  send: (fields: Readonly<Record<Name, string>>) => Promise<FieldErrors<Name> | undefined>,
  saved?: () => void,
) {
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(empty);
  const [errors, setErrors] = useState<FieldErrors<Name>>({});
  const [busy, setBusy] = useState(false);
  const names = Object.keys(empty) as Name[];
  // Only an empty field holds the call back: what is right is the platform's to judge (specification section 5).
  const isFilled = names.every((name) => fields[name] !== "");

  async function submit(): Promise<void> {
    if (busy || !isFilled) return;
    setBusy(true);
    setErrors({});
    const failed = await send(fields);
    setBusy(false);
    if (failed === undefined) {
      setFields(empty);
      saved?.();
      return;
    }
    setErrors(failed);
    const wrong = names.find((name) => failed[name] !== undefined) ?? names[0];
    const field = form.current?.querySelector<HTMLInputElement>(`[data-field=${wrong}]`);
    field?.focus();
    field?.select();
  }

  return {
    form,
    fields,
    errors,
    busy,
    isFilled,
    onSubmit(event: FormEvent): void {
      event.preventDefault();
      void submit();
    },
    /** What the field of the name is given. */
    field: (name: Name, clean: (text: string) => string = (text) => text) => ({
      "data-field": name,
      value: fields[name],
      error: errors[name],
      onText: (text: string) => {
        setFields({ ...fields, [name]: clean(text) });
        setErrors({});
      },
    }),
  };
}

/** The form around the fields: what is about none of them above, and below the button that sends all of them. */
export function FieldsForm(props: {
  readonly of: Pick<ReturnType<typeof useFields>, "form" | "errors" | "busy" | "isFilled" | "onSubmit">;
  readonly send: string;
  readonly children: ReactNode;
}) {
  const { form, errors, busy, isFilled, onSubmit } = props.of;
  return (
    <form ref={form} className={css["form"]} onSubmit={onSubmit} noValidate>
      {errors.form !== undefined && (
        <p className={css["alert"]} role="alert">
          <Icon name="warning" />
          {errors.form}
        </p>
      )}
      {props.children}
      <Key kind="brass" type="submit" className={css["go"]} busy={busy} disabled={!isFilled}>
        {props.send}
      </Key>
    </form>
  );
}

/** A password's, or a PIN's, field with the key that shows what was typed; it is hidden again once the field is empty. */
export function Secret(props: {
  readonly "data-field": string;
  readonly inputMode?: "numeric";
  readonly label: string;
  readonly show: string;
  readonly hide: string;
  readonly name: string;
  readonly autoComplete: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}) {
  const { label, show, hide, name, autoComplete, value, error, onText, inputMode } = props;
  const [wanted, setWanted] = useState(false);
  const shown = wanted && value !== "";
  return (
    <Field
      label={label}
      name={name}
      type={shown ? "text" : "password"}
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      required
      data-field={props["data-field"]}
      {...(inputMode && { inputMode })}
      value={value}
      error={error}
      onChange={({ target }) => {
        if (value === "") setWanted(false);
        onText(target.value);
      }}
      after={
        <IconButton
          icon={shown ? "eyeOff" : "eye"}
          label={shown ? hide : show}
          className={css["eye"] ?? ""}
          onClick={() => setWanted(!shown)}
        />
      }
    />
  );
}
