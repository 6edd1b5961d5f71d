import type { Language, Settings } from "@longarm/contract/settings";
import type { ReactNode } from "react";
import { useId } from "react";
import type { SignedInPlayer } from "../../shared/auth/player.ts";
import { ContactLinks } from "../../shared/contacts/contact-links.tsx";
import { useText } from "../../shared/i18n/use-text.ts";
import { dateTimeText } from "../../shared/time/time-text.ts";
import { Icon } from "../../shared/ui/icon.tsx";
import { Segment } from "../../shared/ui/segment.tsx";
import type { PasswordFormProps } from "./password-form.tsx";
import { PasswordForm } from "./password-form.tsx";
import { daysSince } from "./password-model.ts";
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
  readonly onPassword: PasswordFormProps["onChange"];
  readonly onLanguage: (language: Language) => Promise<void>;
};

/** The player's own account: facts, password, language, PIN, support. */
export function ProfileScreen({ player, onPassword, ...rest }: ProfileScreenProps) {
  return (
    <div className={css["profile"]}>
      <div>
        <Account player={player} />
        <Authentication player={player} clock={rest.clock} />
        <PasswordForm username={player.username} onChange={onPassword} />
      </div>
      <div>
        <LanguageChoice onLanguage={rest.onLanguage} />
        <Pin hasPin={rest.hasPin} settings={rest.settings} onPin={rest.onPin} />
        <Support {...rest.settings} />
      </div>
    </div>
  );
}

function Account({ player }: Pick<ProfileScreenProps, "player">) {
  const { t } = useText();
  return (
    <Block title={t("profile.account")}>
      <dl className={css["facts"]}>
        <Fact name={t("profile.fullName")} value={`${player.name} ${player.lastname}`.trim()} />
        <Fact name={t("profile.username")} value={player.username} />
        <Fact name={t("profile.email")} value={player.email} />
      </dl>
    </Block>
  );
}

function Authentication({ player, clock }: Pick<ProfileScreenProps, "player" | "clock">) {
  const { t, language } = useText();
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
        <Fact name={t("profile.passwordChangedAt")} value={dateTimeText(player.passwordChanged, language)} />
        <Fact name={t("profile.lastLogin")} value={dateTimeText(player.LastLogon, language)} />
        <Fact name={t("profile.lastLoginIp")} value={player.LastLogonIP} />
      </dl>
    </Block>
  );
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

/** Whether there is one, never which (decision D-30). */
function Pin({ hasPin, settings, onPin }: Pick<ProfileScreenProps, "hasPin" | "settings" | "onPin">) {
  const { t } = useText();
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
      {onPin && <PinForm hasPin={hasPin} onPin={onPin} />}
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

/** A dash stands for what nobody told. */
function Fact({ name, value }: { name: string; value: string }) {
  const { t } = useText();
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value !== "" && <bdi>{value}</bdi>}
        {value === "" && <span aria-hidden="true">–</span>}
        {value === "" && <span className="visually-hidden">{t("profile.notKnown")}</span>}
      </dd>
    </div>
  );
}
