import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import type { ActName, WantedAct } from "../acts.ts";
import { useConsole } from "../console.ts";
import { useOnline } from "../me.ts";
import { problemText } from "../problem-text.ts";
import { Note } from "./panel.tsx";

const NOTES = { fits: "plain", two: "wait", refused: "bad" } as const;
type Found = {
  /** Of which fields. */
  readonly of: string;
  readonly is: keyof typeof NOTES;
  readonly text: string;
};

/** The dry run of an act: everything is checked and nothing changes. What it says holds for the fields that were checked. */
export function CheckFirst<Name extends ActName>(props: {
  readonly name: Name;
  readonly params: Readonly<Record<string, string>>;
  readonly fields: WantedAct<Name>["fields"];
  readonly disabled: boolean;
}) {
  const speech = useText();
  const { t } = speech;
  const { acts } = useConsole();
  const online = useOnline();
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<Found>();
  const { name, params, fields } = props;
  const content = JSON.stringify([name, params, fields]);
  async function check(): Promise<void> {
    setBusy(true);
    const end = await acts.check(name, { params, fields }).finally(() => setBusy(false));
    if (end.is === "failed") setFound({ of: content, is: "refused", text: problemText(speech, end.problem) });
    if (end.is !== "answered") return;
    const two = (end.answer as { needsApproval?: boolean }).needsApproval === true;
    setFound({ of: content, is: two ? "two" : "fits", text: t(two ? "app.checkedTwo" : "app.checked") });
  }
  const shown = found?.of === content ? found : undefined;
  return (
    <>
      <div>
        <Key kind="line" busy={busy} disabled={props.disabled || !online} onClick={() => void check()}>
          {t("app.check")}
        </Key>
      </div>
      <div role="status">{shown !== undefined && <Note kind={NOTES[shown.is]}>{shown.text}</Note>}</div>
    </>
  );
}
