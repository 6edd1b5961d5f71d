import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { ReactNode } from "react";
import { useConsole } from "../console.ts";
import { useOnline } from "../me.ts";
import css from "./form-sheet.module.css";

/**
 * A sheet in which an act is put together. It stays, and does not close by a press beside it, while the passkey confirms over it.
 */
export function FormSheet(props: {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { acts } = useConsole();
  const isConfirming = useLive(acts.stepUp) !== null;
  return (
    <Sheet
      open={props.open}
      title={props.title}
      className={isConfirming ? (css["away"] ?? "") : ""}
      {...(!isConfirming && { onClose: props.onClose })}
    >
      {props.open && <div className={css["body"]}>{props.children}</div>}
    </Sheet>
  );
}

/** The end of such a sheet: what is wrong, the way back, and the key that does it. */
export function ActKeys(props: {
  readonly send: string;
  readonly onSend: () => void;
  readonly onCancel: () => void;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly danger?: boolean;
  readonly problem?: string | undefined;
}) {
  const { t } = useText();
  const online = useOnline();
  return (
    <>
      {props.problem !== undefined && <FormAlert>{props.problem}</FormAlert>}
      <div className={css["keys"]}>
        <Key kind="bare" onClick={props.onCancel}>
          {t("app.cancel")}
        </Key>
        <Key
          kind={props.danger ? "danger" : "brass"}
          busy={props.busy}
          disabled={props.disabled === true || !online}
          onClick={props.onSend}
        >
          {props.send}
        </Key>
      </div>
    </>
  );
}
