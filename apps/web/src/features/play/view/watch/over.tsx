import type { MachineState } from "@longarm/contract/machine";
import { codeText } from "../../../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../../../shared/i18n/text-key.ts";
import type { Speech } from "../../../../shared/i18n/texts.ts";
import { useText } from "../../../../shared/i18n/use-text.ts";
import type { LeaveReason } from "../../../../shared/play-deps.ts";
import { Key } from "../../../../shared/ui/key.tsx";
import { Notice } from "../../../../shared/ui/notice.tsx";
import css from "./watch-table.module.css";

/** Nobody plays the machine, in the platform's word. */
const NOBODY_PLAYS = 60010;

export type OverProps = {
  readonly reason: LeaveReason;
  /** How the machine stands now; undefined: nobody has said so since. */
  readonly state: MachineState | undefined;
  readonly onSit: () => void;
  readonly onWatch: () => void;
  readonly onLobby: () => void;
};

/** There is nothing to see any more: why, and what can be done now that the seat is free, or taken by the next player. */
export function Over({ reason, state, onSit, onWatch, onLobby }: OverProps) {
  const speech = useText();
  const { t } = speech;
  const { title, body } = wordsOf(speech, reason);
  const hope = reason.is === "refused" && Number(reason.code) !== NOBODY_PLAYS ? undefined : HOPES[state ?? "reserved"];
  return (
    <Notice whole title={t(title)} {...sentence(body ?? (hope && t(hope)))}>
      <div className={css["keys"]}>
        {state === "available" && (
          <Key kind="brass" ref={takeLostFocus} onClick={onSit}>
            {t("play.takeSeat")}
          </Key>
        )}
        {state === "playing" && (
          <Key kind="brass" icon="eye" ref={takeLostFocus} onClick={onWatch}>
            {t("play.watchAgain")}
          </Key>
        )}
        <Key kind="line" icon="back" ref={takeLostFocus} onClick={onLobby}>
          {t("play.toLobby")}
        </Key>
      </div>
    </Notice>
  );
}

const HOPES: Readonly<Record<MachineState, TextKey>> = {
  available: "play.seatFree",
  playing: "play.seatPlayed",
  waiting: "play.seatNotFree",
  reserved: "play.seatNotFree",
  notAvailable: "play.seatNotFree",
};

function wordsOf(speech: Speech, reason: LeaveReason): { title: TextKey; body?: string | undefined } {
  if (reason.is !== "refused") return { title: "play.watchOver" };
  if (Number(reason.code) === NOBODY_PLAYS) return { title: "play.nobodyPlays" };
  return { title: "play.cannotWatch", body: codeText(speech, reason.code, reason.params) ?? reason.message };
}

const sentence = (body: string | undefined) => (body === undefined ? {} : { body });

/** The picture and its keys have gone, and the focus with them. */
function takeLostFocus(key: HTMLButtonElement | null) {
  if (document.activeElement === document.body) key?.focus({ preventScroll: true });
}
