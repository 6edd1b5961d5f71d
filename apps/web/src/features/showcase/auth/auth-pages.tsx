import { Link } from "@tanstack/react-router";
import type { FC } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { Icon } from "../../../shared/ui/icon.tsx";
import { Key } from "../../../shared/ui/key.tsx";
import type { ShowcaseHost } from "../host.ts";
import { useHost } from "../host.ts";
import { SAMPLE_PERSON } from "../sample-person.ts";
import { AuthForm } from "./auth-form.tsx";
import type { FormName, FormSpec, FormValues } from "./auth-forms.ts";
import { FORMS } from "./auth-forms.ts";
import type { FrameShape } from "./auth-frame.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import css from "./auth-pages.module.css";

type AuthPageSpec = {
  readonly shape: FrameShape;
  /** Without one the page only tells something. */
  readonly form?: FormName;
  /** Names of the pages that it leads to. */
  readonly forgot?: string;
  readonly register?: string;
  readonly login?: string;
};

/** The twelve pages, by the last part of their path. */
const PAGES: Readonly<Record<string, AuthPageSpec>> = {
  login: { shape: "card", form: "login", forgot: "forgot-password", register: "register" },
  "login-2": { shape: "split", form: "login", forgot: "forgot-password-2", register: "register-2" },
  "login-3": { shape: "wide", form: "login", forgot: "forgot-password-2", register: "register-3" },
  register: { shape: "card", form: "register", login: "login" },
  "register-2": { shape: "split", form: "register", login: "login-2" },
  "register-3": { shape: "wide", form: "register", login: "login-3" },
  "forgot-password": { shape: "card", form: "forgot", login: "login" },
  "forgot-password-2": { shape: "split", form: "forgot", login: "login-2" },
  "reset-password": { shape: "card", form: "reset", login: "login" },
  "reset-password-2": { shape: "split", form: "reset", login: "login-2" },
  lock: { shape: "card", form: "lock", login: "login" },
  "mail-confirm": { shape: "card", login: "login" },
};

/** Made once: a page that is loaded again is the same component, and keeps what was typed. */
const drawn = new Map<string, FC>(Object.entries(PAGES).map(([name, spec]) => [name, () => <AuthPage {...spec} />]));

/** The page of a name, as routes take it. */
export function authPage(name: string): FC {
  const page = drawn.get(name);
  if (page === undefined) throw new Error(`There is no page /pages/auth/${name}`);
  return page;
}

function AuthPage({ shape, form, ...leads }: AuthPageSpec) {
  const { t } = useText();
  const host = useHost();
  if (form === undefined) return <MailConfirm shape={shape} {...leads} />;
  const spec: FormSpec = FORMS[form];
  const send = form === "register" ? (values: FormValues) => register(host, values) : undefined;
  return (
    <AuthFrame
      shape={shape}
      heading={t(spec.heading)}
      about={spec.about && t(spec.about)}
      head={form === "lock" ? <LockedFace /> : undefined}
    >
      <AuthForm spec={spec} send={send} />
      {form === "login" && <OtherWays />}
      <Leads form={form} {...leads} />
    </AuthFrame>
  );
}

async function register(host: ShowcaseHost, { name, email, password }: FormValues) {
  const errors = await host.register({ displayName: name.trim(), email: email.trim(), password });
  return errors && { name: errors.displayName, email: errors.email, password: errors.password, form: errors.form };
}

const at = (page: string): string => `/pages/auth/${page}`;

/** Where else one may want to go. */
function Leads({ form, forgot, register, login }: Omit<AuthPageSpec, "shape">) {
  const { t } = useText();
  const leads: readonly (readonly [TextKey, string | undefined])[] = [
    ["templateAuth.toForgot", forgot],
    ["templateAuth.toRegister", register],
    [form === "lock" ? "templateAuth.notYou" : "templateAuth.toLogin", login],
  ];
  return (
    <ul className={css["leads"]}>
      {leads.map(
        ([key, page]) =>
          page !== undefined && (
            <li key={key}>
              <Link to={at(page)}>{t(key, { name: SAMPLE_PERSON.name })}</Link>
            </li>
          ),
      )}
    </ul>
  );
}

/** Two more ways in; of an example they lead nowhere, and say so. */
function OtherWays() {
  const { t } = useText();
  const { say } = useHost();
  const example = () => say("info", t("templateAuth.example"));
  return (
    <>
      <p className={css["or"]}>{t("templateAuth.or")}</p>
      <div className={css["ways"]}>
        <Key kind="line" icon="lock" onClick={example}>
          {t("templateAuth.withPasskey")}
        </Key>
        <Key kind="line" icon="chat" onClick={example}>
          {t("templateAuth.withCode")}
        </Key>
      </div>
    </>
  );
}

function LockedFace() {
  return (
    <Avatar name={SAMPLE_PERSON.name} className={css["face"] ?? ""}>
      <span className={css["badge"]}>
        <Icon name="lock" />
      </span>
    </Avatar>
  );
}

function MailConfirm({ shape, ...leads }: AuthPageSpec) {
  const { t } = useText();
  return (
    <AuthFrame
      shape={shape}
      heading={t("templateAuth.confirmHeading")}
      head={
        <span className={css["round"]}>
          <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.7" aria-hidden="true">
            <path d="M3.5 6.5h17v11h-17zM4 7l8 6.5L20 7" />
          </svg>
        </span>
      }
    >
      <p className={css["told"]}>
        {t("templateAuth.confirmSent")}
        <b>
          <bdi>{SAMPLE_PERSON.email}</bdi>
        </b>
        {t("templateAuth.confirmAbout")}
      </p>
      <Leads {...leads} />
    </AuthFrame>
  );
}
