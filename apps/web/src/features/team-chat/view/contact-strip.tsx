import type { ChatContact, ChatUser } from "@longarm/contract/template/team-chat";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { Avatar } from "../../../shared/ui/avatar/avatar.tsx";
import { parted } from "../model/chat-state.ts";
import type { TeamChat } from "../model/team-chat.ts";
import css from "./contact-strip.module.css";
import { STATUS_TEXTS, StatusDot } from "./status-dot.tsx";
import badgeCss from "./unread-badge.module.css";
import { useNameOf } from "./use-name-of.ts";

const NO_LIST: ChatUser["chatList"] = [];

/** Faces and names of the contacts in a column: those one talks with, a line, the others. */
export function ContactStrip({ chat }: { readonly chat: TeamChat }) {
  const { t } = useText();
  const contacts = useLive(chat.now, (state) => state.contacts);
  const list = useLive(chat.now, ({ user }) => user?.chatList ?? NO_LIST);
  const selectedId = useLive(chat.now, (state) => state.selectedId);
  const [talked, others] = parted(contacts, list);
  const faces = (people: readonly ChatContact[]) =>
    people.map((contact) => (
      <li key={contact.id}>
        <Face contact={contact} isSelected={contact.id === selectedId} onPress={() => void chat.select(contact.id)} />
      </li>
    ));
  return (
    <div className={css["strip"]}>
      {talked.length > 0 && <ul aria-label={t("teamChat.conversations")}>{faces(talked)}</ul>}
      {talked.length > 0 && others.length > 0 && <hr className={css["line"]} />}
      {others.length > 0 && <ul aria-label={t("teamChat.contacts")}>{faces(others)}</ul>}
    </div>
  );
}

type FaceProps = { readonly contact: ChatContact; readonly isSelected: boolean; readonly onPress: () => void };

function Face({ contact, isSelected, onPress }: FaceProps) {
  const { t } = useText();
  const name = useNameOf()(contact);
  const { unread } = contact;
  const status = t(STATUS_TEXTS[contact.status]);
  const label = unread
    ? t("teamChat.contactUnread", { name, status, unread })
    : t("teamChat.contact", { name, status });
  return (
    <button type="button" className={css["face"]} title={name} aria-pressed={isSelected} onClick={onPress}>
      <span className="visually-hidden">{label}</span>
      <span className={css["picture"]}>
        <Avatar name={name} photo={contact.avatar ?? ""} />
        <span className={css["dot"]}>
          <StatusDot status={contact.status} />
        </span>
      </span>
      <bdi className={css["name"]} aria-hidden="true">
        {name}
      </bdi>
      {unread && (
        <span className={badgeCss["badge"]} aria-hidden="true">
          {unread}
        </span>
      )}
    </button>
  );
}
