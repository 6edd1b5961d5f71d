import type { TextKey } from "../../../shared/i18n/text-key.ts";

export type FieldName = "name" | "username" | "email" | "password" | "confirm";
/** A box to tick below the fields. The terms must be ticked. */
export type BoxName = "remember" | "terms";
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
export type FormFaults = { readonly [name in FieldName | "box"]?: TextKey };

/** Shortest password of the sample forms, characters. The platform's own rule is another (decision D-55). */
const PASSWORD_MIN = 8;
const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

const checks: Readonly<Record<FieldName, (values: FormValues) => TextKey | undefined>> = {
  name: ({ name }) => (name.trim() === "" ? "templateAuth.nameRequired" : undefined),
  // It stands there and cannot be changed.
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
