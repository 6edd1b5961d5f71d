import { LOGIN_FIELD_MIN } from "@longarm/contract/http";
import { Check, Field } from "@longarm/ui/field.tsx";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { Logo } from "@longarm/ui/logo.tsx";
import type { FormEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./login.module.css";
import type { PasskeyDoor, PasskeyEnd } from "./passkey-door.ts";

export type LoginFormProps = {
  /** What the form starts with: the name kept by "remember me". */
  readonly start: { readonly username: string; readonly remember: boolean };
  /** Tries to log in. Resolves with what went wrong, or undefined when the page moves on. */
  readonly onLogin: (fields: LoginFields, remember: boolean) => Promise<ApiFailure | undefined>;
  /** Signing in without the password; absent: not loaded yet, or there is none. */
  readonly passkeys?: PasskeyDoor | undefined;
  /** A passkey was used on this device before: it is offered first. */
  readonly passkeyFirst?: boolean;
};

/** User name and password; the key wakes up once both are long enough. */
export function LoginForm({
  start,
  onLogin,
  passkeys,
  passkeyFirst = false,
  onForgot,
}: LoginFormProps & { readonly onForgot: () => void }) {
  const speech = useText();
  const { t } = speech;
  const [username, setUsername] = useState(start.username);
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(start.remember);
  const [left, setLeft] = useState({ username: false, password: false });
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fields = { username: username.trim(), password };
  const others = useOtherWays(passkeys, passkeyFirst, setFailure);
  const errors = failure === undefined ? others.errors : loginErrors(speech, failure);

  /** Said quietly while it is typed, and as an error once the field is left. */
  const tooShort = (name: keyof LoginFields): string | undefined =>
    fields[name] !== "" && !isLongEnough(fields[name]) ? t("auth.minLength") : undefined;
  const said = (name: keyof LoginFields) => ({
    error: errors[name] ?? (left[name] ? tooShort(name) : undefined),
    note: tooShort(name),
  });

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy || !mayLogIn(fields)) return;
    setBusy(true);
    setFailure(undefined);
    const failed = await onLogin(fields, remember);
    setBusy(false);
    if (failed === undefined) return;
    setFailure(failed);
    const wrong = loginErrors(speech, failed).username === undefined ? "password" : "username";
    form.current?.querySelector<HTMLInputElement>(`[name=${wrong}]`)?.focus();
  }

  return (
    <form
      ref={form}
      className={css["form"]}
      data-told={(errors.username ?? errors.password) !== undefined || undefined}
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      {/* The error takes the logo's place, so that no field moves. */}
      <div className={css["head"]}>
        {errors.form === undefined && <Logo className={css["smallLogo"] ?? ""} />}
        {errors.form !== undefined && (
          <p className={css["alert"]} role="alert">
            <Icon name="warning" />
            {errors.form}
          </p>
        )}
      </div>
      <Field
        label={t("auth.username")}
        name="username"
        autoComplete="username webauthn"
        autoCapitalize="none"
        spellCheck={false}
        required
        value={username}
        {...said("username")}
        onChange={(event) => {
          setUsername(event.target.value);
          setFailure(undefined);
        }}
        onBlur={() => setLeft({ ...left, username: true })}
        autoFocus={start.username === ""}
      />
      {others.first}
      <Field
        label={t("auth.password")}
        name="password"
        type={shown ? "text" : "password"}
        autoComplete="current-password"
        required
        value={password}
        {...said("password")}
        onChange={(event) => {
          setPassword(event.target.value);
          setFailure(undefined);
        }}
        onBlur={() => setLeft({ ...left, password: true })}
        autoFocus={start.username !== ""}
        after={
          <IconButton
            icon={shown ? "eyeOff" : "eye"}
            label={t(shown ? "auth.hidePassword" : "auth.showPassword")}
            className={css["eye"] ?? ""}
            onClick={() => setShown(!shown)}
          />
        }
      />
      <Remember checked={remember} onChange={setRemember} onForgot={onForgot} />
      <Key
        kind={others.first ? "plain" : "brass"}
        big
        type="submit"
        className={css["submit"] ?? ""}
        busy={busy}
        disabled={!mayLogIn(fields)}
      >
        {t("auth.submit")}
      </Key>
      {others.last}
    </form>
  );
}

type RememberProps = {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly onForgot: () => void;
};

function Remember({ checked, onChange, onForgot }: RememberProps) {
  const { t } = useText();
  return (
    <div className={css["row"]}>
      <Check label={t("auth.rememberMe")} checked={checked} onChange={({ target }) => onChange(target.checked)} />
      <button type="button" className={css["forgot"]} onClick={onForgot}>
        {t("auth.forgot")}
      </button>
    </div>
  );
}

/** What is before the password and what is after its key: the key that asks for a passkey, and the operator's issuers. The browser offers passkeys beside the name. */
function useOtherWays(
  door: PasskeyDoor | undefined,
  first: boolean,
  failed: (failure: ApiFailure | undefined) => void,
): { readonly errors: LoginErrors; readonly first: ReactNode; readonly last: ReactNode } {
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  const [end, setEnd] = useState<PasskeyEnd["is"]>();
  function ended(by: PasskeyEnd): void {
    setBusy(false);
    setEnd(by.is);
    failed(by.is === "failed" ? by.failure : undefined);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each door.
  useEffect(() => {
    const leaving = new AbortController();
    void door?.offer(leaving.signal, ended);
    return () => leaving.abort();
  }, [door]);
  function use(): void {
    setBusy(true);
    setEnd(undefined);
    failed(undefined);
    void door?.use().then(ended);
  }
  const key = door?.isHere === true && (
    <Key kind={first ? "brass" : "line"} big icon="passkey" className={css["submit"] ?? ""} busy={busy} onClick={use}>
      {t("auth.passkey")}
    </Key>
  );
  const text = end && NOTHING_CAME[end];
  return {
    errors: text === undefined ? {} : { form: t(text) },
    first: first && key && (
      <>
        {key}
        <p className={css["or"]}>{t("auth.or")}</p>
      </>
    ),
    last: (
      <>
        {!first && key}
        {door && <door.IssuerKeys issuers={door.issuers} failed={failed} />}
      </>
    ),
  };
}

/** What is written when no passkey came, and nothing was wrong. */
const NOTHING_CAME: Readonly<Partial<Record<PasskeyEnd["is"], TextKey>>> = {
  cancelled: "auth.passkeyCancelled",
  none: "auth.passkeyNone",
};

export type LoginFields = { readonly username: string; readonly password: string };
/** Errors under the fields, and above the button for everything that names no field. */
type LoginErrors = { readonly username?: string; readonly password?: string; readonly form?: string };

function isLongEnough(value: string): boolean {
  return value.length >= LOGIN_FIELD_MIN;
}

function mayLogIn({ username, password }: LoginFields): boolean {
  return isLongEnough(username.trim()) && isLongEnough(password);
}

/** Assigns a failure: errors that name a field to that field (an e-mail is a user name here), the rest above the button. */
export function loginErrors(speech: Speech, failure: ApiFailure): LoginErrors {
  const messageOf = (...types: string[]) => failure.fields.find(({ type }) => types.includes(type))?.message;
  const username = messageOf("username", "email");
  const password = messageOf("password");
  if (username === undefined && password === undefined) return { form: failureText(speech, failure) };
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
