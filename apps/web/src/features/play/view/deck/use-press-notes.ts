import { useEffect } from "react";
import { codeText } from "../../../../shared/i18n/problem-text.ts";
import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { TOAST_MS } from "../../../../shared/ui/messages.ts";
import type { PlayNow } from "../play-context.ts";

/** Says what became of a press that went wrong, and why the machine could not be left. */
export function usePressNotes({ session, deps }: PlayNow): void {
  const speech = useText();
  const note = useLive(session.note);
  const refusal = useLive(session.leaveRefusal);
  useEffect(() => {
    if (note === undefined) return;
    deps.say("info", speech.t(`play.${note}`), TOAST_MS);
    session.clearNote();
  }, [note, session, deps, speech]);
  useEffect(() => {
    if (refusal !== undefined) {
      deps.say(
        "bad",
        codeText(speech, refusal.code, refusal.params) ?? (refusal.message || speech.t("app.callFailed")),
      );
    }
  }, [refusal, deps, speech]);
}
