import { Check, Field } from "@longarm/ui/field.tsx";
import { FormAlert, SecretField } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { FormEvent } from "react";
import { useId, useRef, useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { SAMPLE_PERSON, useHost } from "../host.ts";
import css from "./auth-form.module.css";

/** What a sent form was refused for, by field; `form`: for none of them. Texts as they are shown. */
type FormErrors = { readonly [name in FieldName | "form"]?: string | undefined };

const LABELS: Readonly<Record<FieldName, TextKey>> = {
  name: "templateAuth.name",
  username: "templateAuth.username",
  email: "templateAuth.email",
  password: "auth.password",
  confirm: "templateAuth.confirm",
};
const AUTO_COMPLETE: Readonly<Record<FieldName, string>> = {
  ...{ name: "name", username: "off", email: "email" },
  ...{ password: "new-password", confirm: "new-password" },
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
      {errors.form !== undefined && <FormAlert>{errors.form}</FormAlert>}
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
  const field = {
    ...{ label: t(LABELS[name]), name, value, error, note, autoComplete: sends ? AUTO_COMPLETE[name] : "off" },
    onBlur: onLeave,
  };
  if (name === "password" || name === "confirm") {
    return <SecretField {...field} show={t("auth.showPassword")} hide={t("auth.hidePassword")} onText={onText} />;
  }
  return (
    <Field
      {...field}
      {...(name === "email" && { inputMode: "email" as const, dir: "ltr" })}
      type="text"
      autoCapitalize={name === "name" ? "words" : "none"}
      spellCheck={false}
      required={name !== "username"}
      disabled={name === "username"}
      onChange={(event) => onText(event.target.value)}
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

type FieldName = "name" | "username" | "email" | "password" | "confirm";
/** A box to tick below the fields. The terms must be ticked. */
type BoxName = "remember" | "terms";
export type FormSpec = {
  readonly heading: TextKey;
  readonly about?: TextKey;
  readonly fields: readonly FieldName[];
  readonly box?: BoxName;
  readonly submit: TextKey;
};

/** The forms of the sample pages: what differs between them. */
export const FORMS = {
  login: {
    heading: "templateAuth.loginHeading",
    fields: ["email", "password"],
    box: "remember",
    submit: "auth.submit",
  },
  register: {
    heading: "templateAuth.registerHeading",
    fields: ["name", "email", "password", "confirm"],
    box: "terms",
    submit: "templateAuth.registerSubmit",
  },
  forgot: {
    heading: "templateAuth.forgotHeading",
    about: "templateAuth.forgotAbout",
    fields: ["email"],
    submit: "templateAuth.forgotSubmit",
  },
  reset: {
    heading: "templateAuth.resetHeading",
    fields: ["email", "password", "confirm"],
    submit: "templateAuth.resetSubmit",
  },
  lock: {
    heading: "templateAuth.lockHeading",
    about: "templateAuth.lockAbout",
    fields: ["username", "password"],
    submit: "templateAuth.lockSubmit",
  },
  subscribe: {
    heading: "templateAuth.soonHeading",
    about: "templateAuth.soonAbout",
    fields: ["email"],
    submit: "templateAuth.soonSubmit",
  },
} as const satisfies Record<string, FormSpec>;
export type FormName = keyof typeof FORMS;

export type FormValues = { readonly [name in FieldName]: string } & { readonly ticked: boolean };
type FormFaults = { readonly [name in FieldName | "box"]?: TextKey };

/** Shortest password of the sample forms, characters. The platform's own rule is another (decision D-55). */
const PASSWORD_MIN = 8;
const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

const checks: Readonly<Record<FieldName, (values: FormValues) => TextKey | undefined>> = {
  name: ({ name }) => (name.trim() === "" ? "templateAuth.nameRequired" : undefined),
  // It is shown and cannot be changed.
  username: () => undefined,
  email: ({ email }) => {
    if (email.trim() === "") return "templateAuth.emailRequired";
    return MAIL_ADDRESS.test(email.trim()) ? undefined : "templateAuth.emailInvalid";
  },
  password: ({ password }) => {
    if (password === "") return "templateAuth.passwordRequired";
    return password.length < PASSWORD_MIN ? "templateAuth.passwordShort" : undefined;
  },
  confirm: ({ password, confirm }) =>
    confirm === "" || confirm !== password ? "templateAuth.passwordsDiffer" : undefined,
};

/** What keeps a form from being sent, by field. None: it may go. */
export function faultsOf(form: FormSpec, values: FormValues): FormFaults {
  const faults: { -readonly [name in keyof FormFaults]: TextKey } = {};
  for (const field of form.fields) {
    const fault = checks[field](values);
    if (fault !== undefined) faults[field] = fault;
  }
  if (form.box === "terms" && !values.ticked) faults.box = "templateAuth.termsRequired";
  return faults;
}
