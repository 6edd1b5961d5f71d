import type { MachineState } from "@longarm/contract/machine";
import { codeText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { Speech } from "../../shared/i18n/texts.ts";
import { moneyText } from "../../shared/money/format.ts";
import { refusalText } from "../../shared/money/refusal-text.ts";
import type { LeaveReason } from "../../shared/play-deps.ts";

const OF_STATE: Readonly<Record<MachineState, TextKey>> = {
  notAvailable: "play.endedNotAvailable",
  available: "play.endedAvailable",
  waiting: "play.endedWaiting",
  playing: "play.ended",
  reserved: "play.endedReserved",
};

type Closed = Extract<LeaveReason, { is: "closed" }>["reason"];
const OF_CLOSE: Readonly<Record<Closed, TextKey>> = {
  "taken over": "play.closedTakenOver",
  kicked: "play.closedKicked",
  ended: "play.ended",
  "logged out": "play.closedLoggedOut",
  banned: "code.10704",
  "bad token": "code.10",
};

/** What the player is told in the lobby: why, in a sentence of its own. When they left themselves: only what came back. */
export function leaveText(speech: Speech, reason: LeaveReason, currency: string): string | undefined {
  switch (reason.is) {
    case "left": {
      const { returned } = reason;
      if (returned === undefined) return undefined;
      return speech.t("play.withdrawDone", { amount: moneyText(returned, currency, speech.language, true) });
    }
    case "status":
      return speech.t(OF_STATE[reason.state]);
    case "closed":
      return speech.t(OF_CLOSE[reason.reason]);
    case "ended":
      return codeText(speech, reason.code) ?? speech.t("play.ended");
    case "refused":
      return refusalText(speech, reason, currency) ?? reason.message ?? speech.t("play.ended");
  }
}
