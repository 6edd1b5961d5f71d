import type { FormEvent, ReactNode } from "react";
import { useRef, useState } from "react";
import { Field } from "./field.tsx";
import css from "./form.module.css";
import { Icon } from "./icon.tsx";
import { IconButton, Key } from "./key.tsx";

/** Errors by the name of their field; `form` is the error that belongs to no field. */
export type FieldErrors<Name extends string> = { readonly [N in Name | "form"]?: string };

/**
 * The fields of a form that is sent as a whole. `send` resolves with the errors, or with undefined when the values are saved. Then the fields
 * are emptied; otherwise the focus moves to the first wrong field.
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
  // Only an empty field prevents the call: the platform decides what is valid (specification section 5).
  const isFilled = names.every((name) => fields[name] !== "");

  async function submit(by = send): Promise<void> {
    if (busy) return;
    setBusy(true);
    setErrors({});
    const failed = await by(fields);
    setBusy(false);
    if (failed === undefined) {
      setFields(empty);
      saved?.();
      return;
    }
    setErrors(failed);
    // What another way was refused for is about no field, and the person does not want to type.
    const wrong = names.find((name) => failed[name] !== undefined) ?? (by === send ? names[0] : undefined);
    if (wrong === undefined) return;
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
      if (isFilled) void submit();
    },
    /** Sends in another way, which does without some of the fields. */
    sendBy: (other: typeof send) => void submit(other),
    /** The props of the field of this name. */
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

/** The form around the fields: the error that belongs to no field above them, and below them the button that sends all of them, and `also`. */
export function Form(props: {
  readonly of: Pick<ReturnType<typeof useFields>, "form" | "errors" | "busy" | "isFilled" | "onSubmit">;
  readonly send: string;
  readonly also?: ReactNode;
  readonly children: ReactNode;
}) {
  const { form, errors, busy, isFilled, onSubmit } = props.of;
  return (
    <form ref={form} className={css["form"]} onSubmit={onSubmit} noValidate>
      {errors.form !== undefined && <FormAlert>{errors.form}</FormAlert>}
      {props.children}
      <div className={css["acts"]}>
        <Key kind="brass" type="submit" busy={busy} disabled={!isFilled}>
          {props.send}
        </Key>
        {props.also}
      </div>
    </form>
  );
}

/** An error that belongs to no field. It is above them, and comes into view where the press that it answers was far below. */
export function FormAlert({ children }: { readonly children: string }) {
  return (
    <p className={css["alert"]} role="alert" ref={bringIntoView}>
      <Icon name="warning" />
      {children}
    </p>
  );
}

const bringIntoView = (alert: HTMLElement | null): void => alert?.scrollIntoView?.({ block: "nearest" });

type SecretFieldProps = Omit<Parameters<typeof Field>[0], "type" | "after" | "onChange" | "value"> & {
  /** Labels of the button that shows the text, and hides it again. */
  readonly show: string;
  readonly hide: string;
  readonly value: string;
  readonly onText: (text: string) => void;
};

/** The field of a password or a PIN, with a button that shows what was typed; an empty field hides again what is typed next. */
export function SecretField({ show, hide, value, onText, ...field }: SecretFieldProps) {
  const [wanted, setWanted] = useState(false);
  const shown = wanted && value !== "";
  return (
    <Field
      autoCapitalize="none"
      spellCheck={false}
      required
      {...field}
      type={shown ? "text" : "password"}
      value={value}
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
