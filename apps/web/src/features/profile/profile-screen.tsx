import type { Language, Settings } from "@longarm/contract/settings";
import type { FieldErrors } from "@longarm/ui/form.tsx";
import { Form, SecretField, useFields } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { dateTimeText, dayAndTime } from "@longarm/ui/time/time-text.ts";
import type { ReactNode } from "react";
import { useId, useRef, useState } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { ContactLinks } from "../../shared/contacts/contacts.tsx";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { PasskeyInstead } from "./passkey-instead.tsx";
import type { PinFormProps } from "./pin-form.tsx";
import { PinForm } from "./pin-form.tsx";
import css from "./profile.module.css";

export type ProfileScreenProps = {
  readonly player: SignedInPlayer;
  /** Whether a PIN is stored for the player. */
  readonly hasPin: boolean;
  readonly settings: Pick<Settings, "contacts" | "chat" | "pinCheck" | "idleLockMs" | "defaultPin">;
  readonly clock: { now(): number };
  /** Sets or changes the PIN; absent: the platform lets no player do so. */
  readonly onPin?: PinFormProps["onPin"] | undefined;
  /** The player has a passkey that this browser may use: it replaces the password in both forms. */
  readonly hasPasskey: boolean;
  /** The choice of palettes. */
  readonly appearance: ReactNode;
  /** Whether this device rings, and the page as an app on it. */
  readonly device: ReactNode;
  /** Passkeys and open sign-ins. */
  readonly keys: ReactNode;
  /** Links to what else belongs to the account. */
  readonly more: ReactNode;
  readonly onPassword: PasswordFormProps["onChange"];
  readonly onLanguage: (language: Language) => Promise<void>;
};

/** The player's own account: facts, password, language, appearance, PIN, support. */
export function ProfileScreen({ player, onPassword, ...rest }: ProfileScreenProps) {
  return (
    <div className={css["profile"]}>
      <div>
        <Account player={player} more={rest.more} />
        <Authentication player={player} clock={rest.clock} />
        {rest.keys}
        <PasswordForm username={player.username} onChange={onPassword} hasPasskey={rest.hasPasskey} />
      </div>
      <div>
        <LanguageChoice onLanguage={rest.onLanguage} />
        <Look>{rest.appearance}</Look>
        <Device>{rest.device}</Device>
        <Pin hasPin={rest.hasPin} settings={rest.settings} onPin={rest.onPin} hasPasskey={rest.hasPasskey} />
        <Support {...rest.settings} />
      </div>
    </div>
  );
}

function Account({ player, more }: Pick<ProfileScreenProps, "player" | "more">) {
  const { t, language } = useText();
  return (
    <Block title={t("profile.account")}>
      <dl className={css["facts"]}>
        <Fact name={t("profile.fullName")} value={`${player.name} ${player.lastname}`.trim()} />
        <Fact name={t("profile.username")} value={player.username} />
        <Fact name={t("profile.email")} value={player.email} absent={known(player, "profile.noEmail")} />
        {player.memberSince !== "" && (
          <Fact name={t("profile.memberSince")} value={dayText(player.memberSince, language)} />
        )}
      </dl>
      <div className={css["more"]}>{more}</div>
    </Block>
  );
}

function Authentication({ player, clock }: Pick<ProfileScreenProps, "player" | "clock">) {
  const { t, language } = useText();
  const isFirst = player.memberSince !== "" && player.LastLogon === "";
  const days = daysSince(player.passwordChanged, clock.now());
  return (
    <Block title={t("profile.authentication")}>
      {player.passwordExpired && (
        <p className={css["due"]} role="status">
          <Icon name="warning" />
          {days === undefined || days < 2 ? t("profile.expired") : t("profile.expiredDays", { days })}
        </p>
      )}
      <dl className={`${css["facts"]} num`}>
        <Fact
          name={t("profile.passwordChangedAt")}
          value={dateTimeText(player.passwordChanged, language)}
          absent={known(player, "profile.passwordNever")}
        />
        <Fact
          name={t("profile.lastLogin")}
          value={dateTimeText(player.LastLogon, language)}
          absent={known(player, "profile.firstLogin")}
        />
        {!isFirst && <Fact name={t("profile.lastLoginIp")} value={player.LastLogonIP} />}
        {player.signedInAt !== "" && (
          <Fact name={t("profile.thisLogin")} value={dateTimeText(player.signedInAt, language)} beside={player.IP} />
        )}
      </dl>
    </Block>
  );
}

/** Whole days since an ISO time, or undefined when it is no time or is in the future. */
function daysSince(time: string, nowMs: number): number | undefined {
  const days = Math.floor((nowMs - Date.parse(time)) / 86_400_000);
  return days >= 0 ? days : undefined;
}

/** What is said of a fact that a platform is known to keep, and keeps none of; undefined: this platform does not say what it keeps. */
function known({ memberSince }: SignedInPlayer, absent: TextKey): TextKey | undefined {
  return memberSince === "" ? undefined : absent;
}

/** The day of an ISO time. A text that is no time stays as it came. */
function dayText(time: string, language: Language): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : dayAndTime(ms, language)[0];
}

function Look({ children }: { readonly children: ReactNode }) {
  const { t } = useText();
  return <Block title={t("profile.appearance")}>{children}</Block>;
}

function Device({ children }: { readonly children: ReactNode }) {
  const { t } = useText();
  return <Block title={t("profile.device")}>{children}</Block>;
}

/** All three languages, each in its own words (decision D-02). */
function LanguageChoice({ onLanguage }: Pick<ProfileScreenProps, "onLanguage">) {
  const { t, language } = useText();
  return (
    <Block title={t("profile.language")}>
      <Segment
        className={css["languages"] ?? ""}
        label={t("app.language")}
        value={language}
        onChange={onLanguage}
        options={[
          { value: "en", label: "English", lang: "en" },
          { value: "tr", label: "Türkçe", lang: "tr" },
          { value: "ar", label: "العربية", lang: "ar" },
        ]}
      />
    </Block>
  );
}

/** Whether there is one, never which (decision D-30). The form comes with its key. */
function Pin({
  hasPin,
  settings,
  onPin,
  hasPasskey,
}: Pick<ProfileScreenProps, "hasPin" | "settings" | "onPin" | "hasPasskey">) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  const locks = settings.pinCheck && (hasPin || settings.defaultPin.hash !== "");
  return (
    <Block title={t("profile.pin")}>
      <p className={css["pin"]} data-set={hasPin || undefined}>
        <Icon name="lock" />
        {hasPin && <span aria-hidden="true">••••</span>}
        <b>{t(hasPin ? "profile.pinSet" : "profile.pinNotSet")}</b>
      </p>
      {locks && <p>{t("profile.pinLocks", { seconds: Math.round(settings.idleLockMs / 1_000) })}</p>}
      {settings.pinCheck && !locks && <p>{t("profile.pinNone")}</p>}
      {onPin && !isOpen && (
        <Key icon="lock" className={css["go"] ?? ""} onClick={() => setOpen(true)}>
          {t(hasPin ? "profile.pinChange" : "profile.pinChoose")}
        </Key>
      )}
      {onPin && isOpen && (
        <PinForm
          hasPin={hasPin}
          hasPasskey={hasPasskey}
          focuses
          onPin={async (fields) => {
            const failed = await onPin(fields);
            if (failed === undefined) setOpen(false);
            return failed;
          }}
        />
      )}
    </Block>
  );
}

/** The lines to write to; a chat that the settings have comes up at the edge of the page by itself. */
function Support({ contacts, chat }: Pick<Settings, "contacts" | "chat">) {
  const { t } = useText();
  const hasChat = chat.provider !== "none";
  return (
    <Block title={t("profile.support")}>
      {hasChat && <p>{t("profile.supportChat")}</p>}
      {!hasChat && contacts.length === 0 && <p>{t("profile.noSupport")}</p>}
      {contacts.length > 0 && <ContactLinks contacts={contacts} kind="line" className={css["support"]} />}
    </Block>
  );
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={css["block"]} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A dash means that the platform does not say; `absent` is what to write instead where it is known to have none. */
function Fact({
  name,
  value,
  beside = "",
  absent,
}: {
  name: string;
  value: string;
  beside?: string;
  absent?: TextKey | undefined;
}) {
  const { t } = useText();
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value !== "" && <bdi>{value}</bdi>}
        {beside !== "" && <bdi>{beside}</bdi>}
        {value === "" && absent !== undefined && <span className={css["absent"]}>{t(absent)}</span>}
        {value === "" && absent === undefined && <span aria-hidden="true">–</span>}
        {value === "" && absent === undefined && <span className="visually-hidden">{t("profile.notKnown")}</span>}
      </dd>
    </div>
  );
}

/** Without the old password a passkey confirms the change. */
export type PasswordFields = { readonly oldPassword?: string; readonly newPassword: string };
export type PasswordErrors = FieldErrors<keyof PasswordFields>;

type PasswordFormProps = {
  /** For the browser's password keeper: whose password it is. */
  readonly username: string;
  /** Sends both. Resolves with what went wrong, or undefined when the password is changed. */
  readonly onChange: (fields: PasswordFields) => Promise<PasswordErrors | undefined>;
} & Pick<ProfileScreenProps, "hasPasskey">;

const EMPTY = { oldPassword: "", newPassword: "" };

/** Old and new password; the button wakes up once both are there. */
function PasswordForm({ username, onChange, hasPasskey }: PasswordFormProps) {
  const { t } = useText();
  const title = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button sleeps again: without a new place the focus would be lost.
  const fields = useFields(EMPTY, onChange, () => heading.current?.focus());
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title} ref={heading} tabIndex={-1}>
        {t("profile.changePassword")}
      </h2>
      <Form
        of={fields}
        send={t("profile.changePassword")}
        also={
          hasPasskey && (
            <PasskeyInstead
              busy={fields.busy}
              disabled={fields.fields.newPassword === ""}
              onUse={() => fields.sendBy(({ newPassword }) => onChange({ newPassword }))}
            />
          )
        }
      >
        <input className={css["keeper"]} type="text" autoComplete="username" value={username} readOnly />
        <div className={css["pair"]}>
          <SecretField
            label={t("profile.oldPassword")}
            show={t("profile.showOld")}
            hide={t("profile.hideOld")}
            name="old_password"
            autoComplete="current-password"
            {...fields.field("oldPassword")}
          />
          <SecretField
            label={t("profile.newPassword")}
            show={t("profile.showNew")}
            hide={t("profile.hideNew")}
            name="new_password"
            autoComplete="new-password"
            {...fields.field("newPassword")}
          />
        </div>
      </Form>
    </section>
  );
}
