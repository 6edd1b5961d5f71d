import type { StaffCallName } from "@longarm/contract/staff";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { ReactNode } from "react";
import { useState } from "react";
import type { ActName, ActSummary, WantedAct } from "../acts.ts";
import type { AnswerOf, BodyOf } from "../api.ts";
import { CheckFirst } from "./check-first.tsx";
import { ActKeys } from "./form-sheet.tsx";
import { ReasonField, reasonOf } from "./reason-field.tsx";
import { useAct } from "./use-act.ts";

/** Acts that need a reason and nothing else from the person. */
type ReasonAct = {
  [Name in ActName]: BodyOf<Name> extends { reason: string } ? Name : never;
}[ActName];

type Props<Name extends ReasonAct> = {
  readonly name: Name;
  readonly params: Readonly<Record<string, string>>;
  /** What the key says, and the confirmation. */
  readonly title: string;
  /** What happens to whom. */
  readonly about: string;
  readonly lines: ActSummary["lines"];
  readonly amount?: number;
  /** Fields that the page knows itself. */
  readonly fields?: Omit<WantedAct<Name>["fields"], "reason">;
  /** What the reason is called, where it is not simply the reason. */
  readonly label?: string;
  readonly danger?: boolean;
  /** Offers the dry run. */
  readonly checks?: boolean;
  readonly reads: readonly StaffCallName[];
  readonly said?: string;
  readonly close: () => void;
  /** Takes the answer instead of closing. */
  readonly onAnswer?: (answer: AnswerOf<Name>) => void;
  readonly children?: ReactNode;
};

/** The form of an act that needs only a reason: what it does, why, and the key. */
export function ReasonForm<Name extends ReasonAct>(props: Props<Name>) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const { name, params, title, amount, reads, said } = props;
  // What a reason and the page give is all that such an act needs.
  const fields = { ...props.fields, reason } as unknown as WantedAct<Name>["fields"];
  async function send(): Promise<void> {
    const answer = await run(name, {
      params,
      fields,
      summary: {
        title,
        lines: [...props.lines, [props.label ?? t("app.reason"), reason]],
        ...(amount !== undefined && { amount }),
      },
      reads,
      ...(said !== undefined && { said }),
    });
    if (answer === undefined) return;
    if (props.onAnswer === undefined) props.close();
    else props.onAnswer(answer);
  }
  return (
    <>
      <p className="soft">{props.about}</p>
      {props.children}
      <ReasonField value={text} onText={setText} {...(props.label !== undefined && { label: props.label })} />
      {props.checks && <CheckFirst name={name} params={params} fields={fields} disabled={reason === ""} />}
      <ActKeys
        send={title}
        danger={props.danger === true}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={props.close}
      />
    </>
  );
}
