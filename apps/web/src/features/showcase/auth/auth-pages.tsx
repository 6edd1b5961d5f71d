import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import { Notice } from "@longarm/ui/notice.tsx";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { Link } from "@tanstack/react-router";
import type { FC, ReactNode } from "react";
import { useId, useState } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { paths } from "../../../shared/paths/paths.ts";
import type { ShowcaseHost } from "../host.ts";
import { SAMPLE_PERSON, useHost } from "../host.ts";
import { useRoom } from "../page-layouts/page-layout.tsx";
import type { FormName, FormSpec, FormValues } from "./auth-form.tsx";
import { AuthForm, FORMS } from "./auth-form.tsx";
import css from "./auth-pages.module.css";

type AuthPageSpec = {
  readonly shape: FrameShape;
  /** Without one the page only shows a text. */
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

/** How far ahead the opening lies when the page is opened, ms: fifteen days. */
const AHEAD_MS = 15 * 86_400_000;

/** Something opens in fifteen days, counted down to the second. */
export function ComingSoon() {
  const { t } = useText();
  return (
    <AuthFrame shape="card" heading={t(FORMS.subscribe.heading)} about={t(FORMS.subscribe.about)}>
      <Countdown />
      <AuthForm spec={FORMS.subscribe} />
    </AuthFrame>
  );
}

function Countdown() {
  const { t } = useText();
  const { clock, timers } = useHost();
  const [until] = useState(() => clock.now() + AHEAD_MS);
  const seconds = useSecondsLeft(until, clock, timers);
  const parts: readonly (readonly [TextKey, number])[] = [
    ["templateAuth.days", Math.floor(seconds / 86_400)],
    ["templateAuth.hours", Math.floor(seconds / 3_600) % 24],
    ["templateAuth.minutes", Math.floor(seconds / 60) % 60],
    ["templateAuth.seconds", seconds % 60],
  ];
  return (
    <div role="timer" className={`${css["countdown"]} num`}>
      {parts.map(([key, value]) => (
        <span key={key}>
          <b>{String(value).padStart(2, "0")}</b> <small>{t(key)}</small>
        </span>
      ))}
    </div>
  );
}

/** One centred card; a card along the end edge beside an introduction; one wide card with the introduction in its end half. */
type FrameShape = "card" | "split" | "wide";

/** The room at night with a card in it. Its own palette is night, since its photo is. */
function AuthFrame(props: {
  readonly shape: FrameShape;
  readonly heading: string;
  readonly about?: string | undefined;
  /** Above the heading, instead of the logo. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}) {
  const { shape, heading, about, head, children } = props;
  const id = useId();
  const room = useRoom();
  return (
    <div ref={room} className={css["stage"]} data-shape={shape} data-palette="night">
      {shape === "split" && <Introduction />}
      <div className={css["card"]}>
        <section className={css["inner"]} aria-labelledby={id}>
          {head ?? <Logo className={css["logo"] ?? ""} />}
          <h1 id={id}>{heading}</h1>
          {about !== undefined && <p className={css["about"]}>{about}</p>}
          {children}
        </section>
        {shape === "wide" && <Introduction />}
      </div>
    </div>
  );
}

function Introduction() {
  const { t } = useText();
  return (
    <div className={css["introduction"]}>
      <p>{t("templateAuth.welcome")}</p>
      <p>{t("templateAuth.welcomeAbout")}</p>
    </div>
  );
}

/** What a server's failure looks like. */
export function Error500() {
  const { t } = useText();
  return (
    <div className={css["error"]}>
      <h1>500</h1>
      <Notice title={t("templateAuth.failedHeading")} body={t("templateAuth.failedAbout")}>
        <Link to={paths.start} className={keyClass({ kind: "brass" })}>
          {t("templateAuth.report")}
        </Link>
      </Notice>
    </div>
  );
}
