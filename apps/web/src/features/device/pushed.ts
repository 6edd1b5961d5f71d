import { PlayerPush } from "@longarm/contract/player-push";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import * as z from "zod/mini";
import { deviceWords } from "./device-texts.ts";

/** A push as the device shows it, and the page that a tap opens. */
export type Shown = {
  readonly title: string;
  readonly options: NotificationOptions & { readonly renotify: boolean };
  /** The own turn: a page that is seen rings by itself. */
  readonly isTurn: boolean;
  readonly opens: string;
};

const NOTHING: PlayerPush = { type: "", subject: "", language: "en" };

/** What a push says. A browser shows something for each, so one that cannot be read says only that there is news. */
export function shownOf(data: unknown): Shown {
  const { type, subject, language, machine, seconds } = z.safeParse(PlayerPush, data).data ?? NOTHING;
  const { t, seconds: within } = deviceWords(language);
  const isTurn = type === "queue.called";
  const isAnswer = type === "question.answered";
  const name = machine ? shownMachine({ name: machine, id: machine }) : t("device.aMachine");
  const other = isAnswer ? t("device.answer") : t("device.other");
  const otherBody = isAnswer ? t("device.answerBody") : t("device.otherBody");
  return {
    isTurn,
    title: isTurn ? t("device.turn", { machine: name }) : other,
    opens: isTurn ? "queue" : "lobby",
    options: {
      body: isTurn && seconds !== undefined ? within(seconds) : otherBody,
      // One about the same takes the place of the one before, and rings again.
      tag: subject || "news",
      renotify: true,
      requireInteraction: isTurn,
      lang: language,
      dir: language === "ar" ? "rtl" : "ltr",
      icon: "icon-192.png",
      badge: "badge-96.png",
    },
  };
}
