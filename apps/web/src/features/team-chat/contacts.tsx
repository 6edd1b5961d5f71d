import type { ChatContact, ChatStatus, ChatUser } from "@longarm/contract/template/team-chat";
import { CHAT_STATUSES } from "@longarm/contract/template/team-chat";
import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import { parted } from "./chat-state.ts";
import css from "./contacts.module.css";
import type { TeamChat } from "./team-chat.ts";

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
      {unread && <UnreadBadge count={unread} />}
    </button>
  );
}

/** The player's status as the others see it; with "do not disturb" no message announces new ones. */
export function OwnStatus({ chat }: { readonly chat: TeamChat }) {
  const { t } = useText();
  const status = useLive(chat.now, ({ user }) => user?.status ?? "online");
  return (
    <label className={css["own"]}>
      <span className={css["label"]}>{t("teamChat.ownStatus")}</span>
      <span className={css["well"]}>
        <StatusDot status={status} />
        <select value={status} onChange={({ target }) => void chat.say({ status: target.value as ChatStatus })}>
          {CHAT_STATUSES.map((one) => (
            <option key={one} value={one}>
              {t(STATUS_TEXTS[one])}
            </option>
          ))}
        </select>
      </span>
    </label>
  );
}

/** The word of a status: it is always beside its dot, seen or read out. */
export const STATUS_TEXTS: Readonly<Record<ChatStatus, TextKey>> = {
  online: "teamChat.online",
  "do-not-disturb": "teamChat.doNotDisturb",
  away: "teamChat.away",
  offline: "teamChat.offline",
};

/** A dot that shows a status by its shape and its colour. */
function StatusDot({ status }: { readonly status: ChatStatus }) {
  return <span className={css["status"]} data-status={status} aria-hidden="true" />;
}

/** The name of a contact; one without a name is known by the end of the id. */
export function useNameOf(): (person: { readonly id: string; readonly name: string }) => string {
  const { t } = useText();
  return ({ id, name }) => name || t("teamChat.nameless", { end: id.slice(-4) });
}

/** How many messages are not read, at the corner of a button or a face; hidden from screen readers, whose label says it. */
export function UnreadBadge({ count }: { readonly count: string }) {
  return (
    <span className={css["badge"]} aria-hidden="true">
      {count}
    </span>
  );
}
