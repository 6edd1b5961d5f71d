import type { Settings } from "@longarm/contract/settings";
import { useText } from "../i18n/use-text.ts";
import { Icon } from "../ui/icon.tsx";
import type { KeyKind } from "../ui/key.tsx";
import { keyClass } from "../ui/key.tsx";
import { contactAddress } from "./contact-address.ts";

/** The operator's WhatsApp lines as keys in a list: each opens a conversation in a tab of its own. */
export function ContactLinks({
  contacts,
  kind = "plain",
  className,
}: Pick<Settings, "contacts"> & { readonly kind?: KeyKind; readonly className?: string | undefined }) {
  const { t } = useText();
  return (
    <ul className={className}>
      {contacts.map(({ title, phone }) => (
        <li key={`${title} ${phone}`}>
          <a className={keyClass({ kind })} href={contactAddress(phone)} target="_blank" rel="noopener noreferrer">
            <Icon name="whatsapp" />
            {t("auth.contact", { title })}
          </a>
        </li>
      ))}
    </ul>
  );
}
