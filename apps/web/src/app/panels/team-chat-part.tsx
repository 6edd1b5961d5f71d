import { TeamChat } from "../../features/team-chat/model/team-chat.ts";
import { ChatKey } from "../../features/team-chat/view/chat-key.tsx";
import { ChatOverlay } from "../../features/team-chat/view/chat-overlay.tsx";
import { ChatStrip } from "../../features/team-chat/view/chat-strip.tsx";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { TOAST_MS } from "../../shared/ui/messages.ts";
import { templateApiOf } from "../account/template-api.ts";
import type { App } from "../app.ts";
import { oncePer } from "../once-per.ts";
import type { PlayerPart } from "../player/player-part.ts";
import { useTextsOf } from "./use-texts-of.ts";

/** One per sign-in: the chat goes on while pages and layouts change. */
const chatOf = oncePer((app: App) => oncePer((part: PlayerPart) => makeChat(app, part)));

function makeChat(app: App, part: PlayerPart): TeamChat {
  const { messages, texts, timers } = app;
  const chat: TeamChat = new TeamChat({
    call: templateApiOf(app).call,
    onTold: (hear) => part.events.on("chat", hear),
    onReturn: (hear) => part.returns.subscribe(hear),
    playerId: part.player.id,
    timers,
    isSeen: () => document.visibilityState === "visible",
    onNews({ id, name }) {
      if (chat.now.getState().user?.status === "do-not-disturb") return;
      const { t } = texts.speech.getState();
      const who = name || t("teamChat.nameless", { end: id.slice(-4) });
      messages.say("info", t("teamChat.news", { name: who }), TOAST_MS);
    },
    onFailure: (failure) => messages.say("bad", failureText(texts.speech.getState(), failure)),
  });
  return chat;
}

export type TeamChatPartProps = {
  readonly app: App;
  readonly part: PlayerPart;
  /** The toggle of a toolbar, the panel over the page, or the column of faces beside it. */
  readonly form: "key" | "overlay" | "strip";
  /** Called before the key opens the panel. */
  readonly onPress?: (() => void) | undefined;
};

/** Team Chat where it meets the player's sockets and the template's calls. */
export default function TeamChatPart({ app, part, form, onPress }: TeamChatPartProps) {
  const chat = chatOf(app)(part);
  const hasTexts = useTextsOf(app, "teamChat");
  if (!hasTexts) return null;
  if (form === "key") return <ChatKey chat={chat} onPress={onPress} />;
  const { clock, timers } = app;
  const view = { chat, online: part.online, clock, timers };
  return form === "strip" ? <ChatStrip {...view} /> : <ChatOverlay {...view} />;
}
