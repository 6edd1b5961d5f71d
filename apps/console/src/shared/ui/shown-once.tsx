import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { ReactNode } from "react";
import { useConsole } from "../console.ts";
import { ConsoleIcon } from "./icons.tsx";
import css from "./shown-once.module.css";

/** A secret that is shown once: what it is for, the secret itself to copy or print, and the key that ends it. */
export function ShownOnce(props: {
  readonly about: string;
  readonly secret: string;
  /** Offers to print the page: the sheet alone is on the paper. */
  readonly prints?: boolean;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  const { t } = useText();
  const { messages } = useConsole();
  const copy = () =>
    navigator.clipboard.writeText(props.secret).then(
      () => messages.say("good", t("app.copied")),
      () => messages.say("bad", t("app.notCopied")),
    );
  return (
    <>
      <p className="soft">{props.about}</p>
      <code className={`ltr ${css["secret"]}`}>{props.secret}</code>
      {props.children}
      <div className={css["keys"]}>
        <Key kind="brass" onClick={() => void copy()}>
          <ConsoleIcon name="copy" />
          {t("app.copy")}
        </Key>
        {props.prints && (
          <Key kind="line" onClick={() => print()}>
            {t("app.print")}
          </Key>
        )}
        <Key kind="line" onClick={props.close}>
          {t("app.done")}
        </Key>
      </div>
    </>
  );
}
