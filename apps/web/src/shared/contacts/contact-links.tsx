import type { Settings } from "@longarm/contract/settings";
import type { ReactNode } from "react";
import { useText } from "../i18n/use-text.ts";
import { Icon } from "../ui/icon.tsx";
import type { KeyKind } from "../ui/key.tsx";
import { keyClass } from "../ui/key.tsx";
import { contactAddress } from "./contact-address.ts";

type ContactLinkProps = {
  readonly contact: Settings["contacts"][number];
  readonly kind?: KeyKind;
  readonly big?: boolean;
  /** Other words than the line's own title. */
  readonly children?: ReactNode;
};

/** One of the operator's WhatsApp lines as a key: it opens a conversation in a tab of its own. */
export function ContactLink({ contact: { title, phone }, kind = "plain", big = false, children }: ContactLinkProps) {
  const { t } = useText();
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
        <li key={`${contact.title} ${contact.phone}`}>
          <ContactLink contact={contact} kind={kind} />
        </li>
      ))}
    </ul>
  );
}
