import { Check } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useConsole } from "../console.ts";
import { ConsoleIcon } from "./icons.tsx";
import { Note } from "./panel.tsx";
import css from "./recovery-codes.module.css";

/** Codes that are shown once: copied or printed, and then said to be kept. */
export function RecoveryCodes(props: {
  readonly codes: readonly string[];
  readonly send: string;
  readonly onKept: () => void;
}) {
  const { messages } = useConsole();
  const { t } = useText();
  const [kept, setKept] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(props.codes.join("\n")).then(
      () => messages.say("good", t("app.copied")),
      () => messages.say("bad", t("app.notCopied")),
    );
  return (
    <>
      <Note kind="wait">{t("app.codesOnce")}</Note>
      <ul className={css["codes"]}>
        {props.codes.map((code) => (
          <li key={code}>
            <code className="ltr">{code}</code>
          </li>
        ))}
      </ul>
      <div className={css["row"]}>
        <Key kind="line" onClick={() => void copy()}>
          <ConsoleIcon name="copy" />
          {t("app.copy")}
        </Key>
        <Key kind="line" onClick={() => print()}>
          {t("app.print")}
        </Key>
      </div>
      <Check label={t("app.codesCheck")} checked={kept} onChange={({ target }) => setKept(target.checked)} />
      <Key kind="brass" className={css["brass"]} disabled={!kept} onClick={props.onKept}>
        {props.send}
      </Key>
    </>
  );
}
