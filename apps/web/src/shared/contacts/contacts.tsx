import type { Language, OperatorText, Settings } from "@longarm/contract/settings";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { KeyKind } from "@longarm/ui/key.tsx";
import { keyClass } from "@longarm/ui/key.tsx";
import type { ReactNode } from "react";
import css from "./contacts.module.css";

type ContactLinkProps = {
  readonly contact: Settings["contacts"][number];
  readonly kind?: KeyKind;
  readonly big?: boolean;
  /** Other words than the line's own title. */
  readonly children?: ReactNode;
};

/** Whether a contact leads to a conversation; one without a number is a note. */
export const isReachable = ({ phone }: Settings["contacts"][number]): boolean => /\d/.test(phone);

/** One of the operator's WhatsApp lines as a key: it opens a conversation in a tab of its own. */
export function ContactLink({ contact, kind = "plain", big = false, children }: ContactLinkProps) {
  const { t, language } = useText();
  const title = operatorText(contact.title, language);
  const { phone } = contact;
  if (!isReachable(contact)) return <p>{title}</p>;
  return (
    <a className={keyClass({ kind, big })} href={contactAddress(phone)} target="_blank" rel="noopener noreferrer">
      <Icon name="whatsapp" />
      {children ?? t("auth.contact", { title })}
    </a>
  );
}

/** All of them in a list. */
export function ContactLinks({
  contacts,
  kind = "plain",
  className,
}: Pick<Settings, "contacts"> & { readonly kind?: KeyKind; readonly className?: string | undefined }) {
  return (
    <ul className={className}>
      {contacts.map((contact) => (
        <li key={JSON.stringify(contact)}>
          <ContactLink contact={contact} kind={kind} />
        </li>
      ))}
    </ul>
  );
}

/** The address of a WhatsApp contact: digits only, so that no setting can name another place (decision D-19). */
export function contactAddress(phone: string): string {
  return `https://wa.me/${phone.replace(/\D/g, "")}`;
}

type LegalProps = Pick<Settings, "minimumAge" | "loginNotice"> & { readonly className?: string | undefined };

/** For whom the casino is, and the operator's licence line. */
export function LegalLine({ minimumAge, loginNotice, className = "" }: LegalProps) {
  const { t, language } = useText();
  const notice = operatorText(loginNotice, language);
  if (minimumAge === 0 && notice === "") return null;
  return (
    <div className={`${css["legal"]} ${className}`}>
      {minimumAge > 0 && (
        <b className="num">
          <bdi aria-hidden="true">{minimumAge}+</bdi>
          <span className="visually-hidden">{t("auth.minimumAge", { age: minimumAge })}</span>
        </b>
      )}
      {notice !== "" && <p>{notice}</p>}
    </div>
  );
}

/** The operator's words in the spoken language, else in the first one that they wrote. */
export function operatorText(given: OperatorText, language: Language): string {
  if (typeof given === "string") return given;
  return given[language] ?? given.en ?? given.tr ?? given.ar ?? "";
}
