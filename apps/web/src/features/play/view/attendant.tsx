import { codeText } from "../../../shared/i18n/problem-text.ts";
import { useText } from "../../../shared/i18n/use-text.ts";
import { useLive } from "../../../shared/live/live.ts";
import { dayAndTime } from "../../../shared/time/time-text.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { Lamp } from "../../../shared/ui/lamp.tsx";
import css from "./attendant.module.css";
import { useClick, usePlay } from "./play-context.ts";

/** The key that calls an attendant; while a call is open, what has become of it instead. `quiet`: inside a notice, which is announced as a whole. */
export function Attendant({ quiet = false }: { quiet?: boolean }) {
  const speech = useText();
  const { t, language } = speech;
  const { session } = usePlay();
  const click = useClick();
  const online = useLive(session.state, (state) => state.online);
  const { offered, call, busy, failed } = useLive(session.attendant.state);
  if (!offered) return null;
  const said = call !== undefined && call.state !== "closed" ? call : undefined;
  return (
    <div className={css["attendant"]} data-call={call?.state}>
      <div role={quiet ? undefined : "status"}>
        {said && (
          <Lamp status={said.state === "answered" ? "available" : "waiting"} className={css["said"] ?? ""}>
            {t(said.state === "answered" ? "play.attendantComing" : "play.attendantCalled", {
              time: dayAndTime(Date.parse(said.answeredAt ?? said.calledAt), language)[1],
            })}
          </Lamp>
        )}
        {failed && (
          <p className={css["failed"]}>
            {(failed.code !== null && codeText(speech, failed.code, failed.params)) || t("play.attendantFailed")}
          </p>
        )}
      </div>
      {said === undefined && (
        <Key
          kind={quiet ? "line" : "plain"}
          icon="player"
          busy={busy}
          disabled={!online}
          onClick={() => {
            click("key");
            session.attendant.call();
          }}
        >
          {t("play.attendant")}
        </Key>
      )}
    </div>
  );
}
