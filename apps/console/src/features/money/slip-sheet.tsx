import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Note } from "../../shared/ui/panel.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import css from "./money.module.css";

type Slip = AnswerOf<"slip">;

/** One slip as it was written, and its void: what was paid goes back, the number stays. */
export function SlipSheet({ slip, close }: { readonly slip: Slip | undefined; readonly close: () => void }) {
  const { t } = useText();
  const [voiding, setVoiding] = useState(false);
  const end = () => {
    setVoiding(false);
    close();
  };
  const number = String(slip?.number ?? "");
  return (
    <FormSheet
      open={slip !== undefined}
      title={t(voiding ? "money.voidSlip" : "money.slipTitle", { number })}
      onClose={end}
    >
      {slip !== undefined && !voiding && <SlipFacts slip={slip} startVoid={() => setVoiding(true)} close={end} />}
      {slip !== undefined && voiding && <VoidForm slip={slip} close={end} />}
    </FormSheet>
  );
}

function SlipFacts(props: { readonly slip: Slip; readonly startVoid: () => void; readonly close: () => void }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const mayVoid = useMay("handPay.void");
  const { slip } = props;
  return (
    <>
      <div>
        <Lamp status={slip.state === "paid" ? "available" : "fault"}>{t(`money.slip_${slip.state}`)}</Lamp>
      </div>
      <Facts
        rows={[
          [t("money.machine"), slip.machine.name],
          [t("money.player"), slip.player?.username ?? "–"],
          [t("money.kind"), t(`money.kind_${slip.kind}`)],
          [t("money.owes"), <Money key="owes" minor={slip.machineAmount} tone="ink" />],
          [t("money.paidAmount"), <Money key="paid" minor={slip.paidAmount} />],
          [t("money.paidAt"), whenText(slip.at, clock.now(), venue.timeZone, language)],
          [t("money.paidBy"), slip.paidBy.name],
          [t("money.signedBy"), slip.signedBy?.name ?? "–"],
          ...(slip.voidedBy === null ? [] : ([[t("money.voidedBy"), slip.voidedBy.name]] as const)),
          ...(slip.reason === null ? [] : ([[t("app.reason"), slip.reason]] as const)),
        ]}
      />
      {slip.onePerson && <Note kind="wait">{t("money.onePerson")}</Note>}
      <div className={css["keys"]}>
        {slip.state === "paid" && mayVoid && (
          <Key kind="danger" disabled={!online} onClick={props.startVoid}>
            {t("money.void")}
          </Key>
        )}
        <Key kind="line" onClick={props.close}>
          {t("app.close")}
        </Key>
      </div>
    </>
  );
}

function VoidForm({ slip, close }: { readonly slip: Slip; readonly close: () => void }) {
  const { t } = useText();
  const { venue } = useMe();
  const { number, machine, player, paidAmount } = slip;
  return (
    <ReasonForm
      name="voidSlip"
      params={{ number: String(number) }}
      title={t("money.void")}
      about={t("money.voidAbout")}
      lines={[
        [t("money.slipNumber"), String(number)],
        [t("money.machine"), machine.name],
        [t("money.player"), player?.username ?? "–"],
      ]}
      amount={paidAmount}
      danger
      checks
      reads={["handPays", "approvals", "players", "player"]}
      said={t("money.voidedSaid")}
      close={close}
    >
      <Facts
        rows={[
          [t("money.machine"), machine.name],
          [t("money.player"), player?.username ?? "–"],
          [t("money.paidAmount"), <Money key="paid" minor={paidAmount} />],
        ]}
      />
      {venue.secondPerson && <Note kind="wait">{t("money.two")}</Note>}
    </ReasonForm>
  );
}
