import { TOAST_MS } from "@longarm/ui/messages.ts";
import { ChatKey, ChatOverlay, ChatStrip } from "../../features/team-chat/chat-panel.tsx";
import { TeamChat } from "../../features/team-chat/team-chat.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { templateApiOf } from "../account/template-api.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { useTextsOf } from "./use-texts-of.ts";

/** One per sign-in: the chat goes on while pages and layouts change. */
const chatOf = oncePer((app: App) => oncePer((link: PlayerLink) => makeChat(app, link)));

function makeChat(app: App, link: PlayerLink): TeamChat {
  const { messages, texts, timers } = app;
  const chat: TeamChat = new TeamChat({
    call: templateApiOf(app).call,
    onPush: (listener) => link.events.on("chat", listener),
    onReturn: (listener) => link.returns.subscribe(listener),
    playerId: link.player.id,
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

type TeamChatPanelProps = {
  readonly app: App;
  readonly link: PlayerLink;
  /** The toggle of a toolbar, the panel over the page, or the column of faces beside it. */
  readonly form: "key" | "overlay" | "strip";
  /** Called before the key opens the panel. */
  readonly onPress?: (() => void) | undefined;
};

/** Team Chat where it meets the player's sockets and the template's calls. */
export default function TeamChatPanel({ app, link, form, onPress }: TeamChatPanelProps) {
  const chat = chatOf(app)(link);
  const hasTexts = useTextsOf(app, "teamChat");
  if (!hasTexts) return null;
  if (form === "key") return <ChatKey chat={chat} onPress={onPress} />;
  const { clock, timers } = app;
  const view = { chat, online: link.online, clock, timers };
  return form === "strip" ? <ChatStrip {...view} /> : <ChatOverlay {...view} />;
}
