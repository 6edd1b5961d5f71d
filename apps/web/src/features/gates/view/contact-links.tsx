import type { Settings } from "@longarm/contract/settings";
import { contactAddress } from "../../../shared/contacts/contact-address.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { Icon } from "../../../shared/ui/icon.tsx";
import { keyClass } from "../../../shared/ui/key.tsx";

/** Somebody to ask: the operator's WhatsApp contacts. */
export function ContactLinks({ contacts }: { contacts: Settings["contacts"] }) {
  const { t } = useText();
  return contacts.map(({ title, phone }) => (
    <a
      key={`${title} ${phone}`}
      className={keyClass({ kind: "bare", big: true })}
      href={contactAddress(phone)}
      target="_blank"
      rel="noopener noreferrer"
    >
      <Icon name="whatsapp" />
      {t("gates.whatsapp", { title })}
    </a>
  ));
}
