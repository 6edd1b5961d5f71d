import type { ChatContact } from "@longarm/contract/template/team-chat";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import type { TeamChat } from "../model/team-chat.ts";
import { STATUS_TEXTS } from "./status-dot.tsx";
import { useNameOf } from "./use-name-of.ts";

type Selected = { readonly contact: ChatContact; readonly name: string; readonly status: string };

/** The contact whose chat is open, with name and status for the head of the panel; undefined: none is. */
export function useSelected(chat: TeamChat): Selected | undefined {
  const { t } = useText();
  const nameOf = useNameOf();
  const contact = useLive(chat.now, ({ contacts, selectedId }) => contacts.find(({ id }) => id === selectedId));
  if (contact === undefined) return undefined;
  return { contact, name: nameOf(contact), status: t(STATUS_TEXTS[contact.status]) };
}
