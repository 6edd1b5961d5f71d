import type { StaffCallName } from "@longarm/contract/staff";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ActName, WantedAct } from "../acts.ts";
import type { AnswerOf } from "../api.ts";
import { useConsole } from "../console.ts";
import { problemText } from "../problem-text.ts";

type More = {
  /** What is read again when it was done: every page that shows it. */
  readonly reads?: readonly StaffCallName[];
  /** What is said then. */
  readonly said?: string;
};

/**
 * An act behind a button: busy until the platform has answered, and it is shown as done only then. Answers what the platform said; undefined when
 * it was refused, which the person has read, or not confirmed.
 */
export function useAct() {
  const { acts, messages } = useConsole();
  const speech = useText();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);

  function readAgain(reads: readonly StaffCallName[]): void {
    for (const name of reads) void queries.invalidateQueries({ queryKey: [name] });
  }

  async function run<Name extends ActName>(
    name: Name,
    { reads = [], said, ...wanted }: WantedAct<Name> & More,
  ): Promise<AnswerOf<Name> | undefined> {
    setBusy(true);
    const end = await acts.run(name, wanted).finally(() => setBusy(false));
    if (end.is === "cancelled") return undefined;
    readAgain(reads);
    if (end.is === "failed") {
      messages.say("bad", problemText(speech, end.problem));
      return undefined;
    }
    const { is } = end.answer as { is: string };
    if (is === "waiting") messages.say("info", speech.t("app.secondPersonNeeded"));
    else if (is === "unknown") messages.say("bad", speech.t("app.outcomeUnknown"));
    else if (said !== undefined) messages.say("good", said);
    return end.answer;
  }

  return { busy, run, readAgain };
}
