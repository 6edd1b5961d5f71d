import type { FormEvent } from "react";
import { useId, useRef, useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Check, Field } from "../../../shared/ui/field.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import { IconButton, Key } from "../../../shared/ui/key.tsx";
import { useHost } from "../host.ts";
import { SAMPLE_PERSON } from "../sample-person.ts";
import css from "./auth-form.module.css";
import type { BoxName, FieldName, FormSpec, FormValues } from "./auth-forms.ts";
import { faultsOf } from "./auth-forms.ts";

/** What a sent form was refused for, by field; `form`: for none of them. Texts as they are shown. */
export type FormErrors = { readonly [name in FieldName | "form"]?: string | undefined };

const LABELS: Readonly<Record<FieldName, TextKey>> = {
  name: "templateAuth.name",
  username: "templateAuth.username",
  email: "templateAuth.email",
  password: "auth.password",
  confirm: "templateAuth.confirm",
};
const BOXES: Readonly<Record<BoxName, TextKey>> = { remember: "auth.rememberMe", terms: "templateAuth.terms" };

/** The fields and the key of a sample form. What is wrong is said quietly while it is typed, and as an error once the field is left. */
export function AuthForm({
  spec,
  send,
}: {
  readonly spec: FormSpec;
  /** Without it the form is an example: it is checked and emptied, and nothing is sent. */
  readonly send?: ((values: FormValues) => Promise<FormErrors | undefined>) | undefined;
}) {
  const { t } = useText();
  const { say } = useHost();
  const start: FormValues = {
    ...{ name: "", username: SAMPLE_PERSON.name, email: "", password: "", confirm: "" },
    ticked: spec.box === "remember",
  };
  const [values, setValues] = useState(start);
  const [met, setMet] = useState<{ readonly [name in FieldName | "box"]?: "typed" | "left" }>({});
  const [errors, setErrors] = useState<FormErrors>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const faults = faultsOf(spec, values);
  const sound = Object.keys(faults).length === 0;

  function change(part: Partial<FormValues>) {
    setValues({ ...values, ...part });
    setErrors({});
  }
  function said(name: FieldName) {
    const text = met[name] && faults[name] && t(faults[name]);
    return { error: errors[name] ?? (met[name] === "left" ? text : undefined), note: text };
  }
  const focus = (name: FieldName | undefined) =>
    form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus();

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !sound) return;
    if (send === undefined) {
      setValues(start);
      setMet({});
      // The key sleeps again: without a new place the focus would be lost.
      focus(spec.fields.find((name) => name !== "username"));
      say("info", t("templateAuth.example"));
      return;
    }
    setBusy(true);
    setErrors({});
    const failed = await send(values);
    setBusy(false);
    if (failed === undefined) return;
    setErrors(failed);
    focus(spec.fields.find((name) => failed[name] !== undefined) ?? spec.fields[0]);
  }

  return (
    <form ref={form} className={css["form"]} onSubmit={(event) => void submit(event)} noValidate>
      {errors.form !== undefined && (
        <p className={css["alert"]} role="alert">
          <Icon name="warning" />
          {errors.form}
        </p>
      )}
      {spec.fields.map((name) => (
        <FormField
          key={name}
          name={name}
          value={values[name]}
          sends={send !== undefined}
          {...said(name)}
          onText={(text) => {
            change({ [name]: text });
            setMet({ ...met, [name]: met[name] ?? "typed" });
          }}
          onLeave={() => met[name] && setMet({ ...met, [name]: "left" })}
        />
      ))}
      {spec.box && (
        <Box
          name={spec.box}
          ticked={values.ticked}
          fault={met.box || Object.keys(faults).length === 1 ? faults.box : undefined}
          onTick={(ticked) => {
            change({ ticked });
            setMet({ ...met, box: "left" });
          }}
        />
      )}
      <Key kind="brass" big type="submit" className={css["submit"]} busy={busy} disabled={!sound}>
        {t(spec.submit)}
      </Key>
    </form>
  );
}

function FormField(props: {
  readonly name: FieldName;
  readonly value: string;
  /** Whether the browser may remember what is typed: not in an example. */
  readonly sends: boolean;
  readonly error: string | undefined;
  readonly note: string | undefined;
  readonly onText: (text: string) => void;
  readonly onLeave: () => void;
}) {
  const { name, value, sends, error, note, onText, onLeave } = props;
  const { t } = useText();
  const [wanted, setWanted] = useState(false);
  const secret = name === "password" || name === "confirm";
  const shown = wanted && value !== "";
  const known = { name: "name", username: "off", email: "email", password: "new-password", confirm: "new-password" };
  return (
    <Field
      label={t(LABELS[name])}
      name={name}
      type={secret && !shown ? "password" : "text"}
      {...(name === "email" && { inputMode: "email" as const, dir: "ltr" })}
      autoComplete={sends ? known[name] : "off"}
      autoCapitalize={name === "name" ? "words" : "none"}
      spellCheck={false}
      required={name !== "username"}
      disabled={name === "username"}
      value={value}
      error={error}
      note={note}
      onChange={(event) => onText(event.target.value)}
      onBlur={onLeave}
      after={
        secret && (
          <IconButton
            icon={shown ? "eyeOff" : "eye"}
            label={t(shown ? "auth.hidePassword" : "auth.showPassword")}
            className={css["eye"] ?? ""}
            onClick={() => setWanted(!shown)}
          />
        )
      }
    />
  );
}

function Box(props: {
  readonly name: BoxName;
  readonly ticked: boolean;
  readonly fault: TextKey | undefined;
  readonly onTick: (ticked: boolean) => void;
}) {
  const { t } = useText();
  const id = useId();
  return (
    <div>
      <Check
        label={t(BOXES[props.name])}
        name={props.name}
        checked={props.ticked}
        onChange={(event) => props.onTick(event.target.checked)}
        {...(props.fault && { "aria-describedby": id })}
      />
      {props.fault && (
        <p id={id} className={css["fault"]}>
          {t(props.fault)}
        </p>
      )}
    </div>
  );
}
