import type { Language } from "@longarm/contract/settings";
import type { MachineLife } from "@longarm/contract/staff-fleet";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { useState } from "react";
import { useMe } from "../me.ts";
import { ActKeys, FormSheet } from "./form-sheet.tsx";
import { Note } from "./panel.tsx";
import { useRead } from "./queries.ts";
import { ReasonField, reasonOf } from "./reason-field.tsx";
import { SelectField } from "./select-field.tsx";
import { useAct } from "./use-act.ts";

export const LIFE_LAMPS: Readonly<Record<MachineLife["state"], LampStatus>> = {
  expected: "waiting",
  inService: "available",
  retired: "off",
};

/** "96.5 %" of 9650. */
export function percentText(hundredths: number | null, language: Language): string {
  if (hundredths === null) return "–";
  const percent = new Intl.NumberFormat(language === "ar" ? "ar-u-nu-latn" : language, { maximumFractionDigits: 2 });
  return `${percent.format(hundredths / 100)} %`;
}

/** Percent times 100 of what was typed, in either language's marks; null: it is none. */
export function readPercent(text: string): number | null {
  if (!/^\d{1,3}([.,]\d{1,2})?$/.test(text.trim())) return null;
  const value = Math.round(Number(text.trim().replace(",", ".")) * 100);
  return value >= 1 && value <= 20_000 ? value : null;
}

export type LifeAct =
  | { readonly is: "enrol" }
  | { readonly is: "move" | "retire" | "return" | "ramClear" | "cancelRamClear"; readonly machine: MachineLife };

/** An act on the life of a machine, with its reason. */
export function LifeSheet({ act, close }: { readonly act: LifeAct | undefined; readonly close: () => void }) {
  const { t } = useText();
  return (
    <FormSheet open={act !== undefined} title={act === undefined ? "" : t(`machines.act_${act.is}`)} onClose={close}>
      {act?.is === "enrol" && <PlaceForm machine={undefined} close={close} />}
      {act?.is === "move" && <PlaceForm machine={act.machine} close={close} />}
      {act !== undefined && act.is !== "enrol" && act.is !== "move" && (
        <PlainForm is={act.is} machine={act.machine} close={close} />
      )}
    </FormSheet>
  );
}

const READS = ["machines", "machineLife", "machine", "floor", "approvals"] as const;
const ID = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;

/** Where a machine belongs: a new one, or one that is moved. */
function PlaceForm({ machine, close }: { readonly machine: MachineLife | undefined; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const agents = useRead("agents");
  const [id, setId] = useState(machine?.id ?? "");
  const [agent, setAgent] = useState(machine?.isBound === true ? (machine.agent?.id ?? "") : "");
  const [name, setName] = useState(machine?.name === machine?.id ? "" : (machine?.name ?? ""));
  const [group, setGroup] = useState(machine?.group ?? "");
  const [figure, setFigure] = useState(
    machine?.theoreticalReturn == null ? "" : String(machine.theoreticalReturn / 100),
  );
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const theoreticalReturn = figure === "" ? null : readPercent(figure);
  const isWrong = figure !== "" && theoreticalReturn === null;
  const isNewAgent = machine !== undefined && agent !== "" && agent !== machine.agent?.id;

  async function send(): Promise<void> {
    const title = t(machine === undefined ? "machines.act_enrol" : "machines.act_move");
    const fields = {
      agent: agent === "" ? null : agent,
      name: name.trim() === "" ? null : name.trim(),
      theoreticalReturn,
      reason,
    };
    const wanted = { summary: { title, lines: [[t("machines.id"), id]] as const }, reads: READS };
    const answer =
      machine === undefined
        ? await run("enrolMachine", {
            ...wanted,
            fields: { ...fields, machine: id, group: group.trim() === "" ? null : group.trim() },
            said: t("machines.enrolledSaid", { id }),
          })
        : await run("moveMachine", {
            ...wanted,
            params: { id },
            fields: { ...fields, ...(group.trim() !== "" && { group: group.trim() }) },
            said: t("machines.movedSaid", { id }),
          });
    if (answer !== undefined) close();
  }

  return (
    <>
      <p className="soft">{t(machine === undefined ? "machines.about_enrol" : "machines.about_move")}</p>
      {machine === undefined && (
        <Field
          label={t("machines.id")}
          note={t("machines.idNote")}
          error={id !== "" && !ID.test(id) ? t("machines.idWrong") : undefined}
          value={id}
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          dir="ltr"
          onChange={({ target }) => setId(target.value)}
        />
      )}
      <Field
        label={t("machines.name")}
        note={t("machines.nameNote")}
        value={name}
        maxLength={64}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <Field
        label={t("machines.group")}
        value={group}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setGroup(target.value)}
      />
      <SelectField
        label={t("machines.agent")}
        note={t("machines.agentNote")}
        value={agent}
        choices={[
          ["", t("machines.anyAgent")],
          ...(agents.data?.rows ?? [])
            .filter(({ revokedAt }) => revokedAt === null)
            .map((one) => [one.id, one.name] as const),
        ]}
        onChange={setAgent}
      />
      <Field
        label={t("machines.return")}
        note={t("machines.returnNote")}
        error={isWrong ? t("machines.returnWrong") : undefined}
        value={figure}
        maxLength={6}
        inputMode="decimal"
        autoComplete="off"
        dir="ltr"
        onChange={({ target }) => setFigure(target.value)}
      />
      {isNewAgent && <Note kind="wait">{t("machines.agentWarning")}</Note>}
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={t(machine === undefined ? "machines.act_enrol" : "machines.save")}
        busy={busy}
        disabled={!ID.test(id) || isWrong || reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

const CALLS = {
  retire: "retireMachine",
  return: "returnMachine",
  ramClear: "orderRamClear",
  cancelRamClear: "cancelRamClear",
} as const;

function PlainForm({
  is,
  machine,
  close,
}: {
  readonly is: keyof typeof CALLS;
  readonly machine: MachineLife;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { venue } = useMe();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const reason = reasonOf(text);
  const title = t(`machines.act_${is}`);
  async function send(): Promise<void> {
    const answer = await run(CALLS[is], {
      params: { id: machine.id },
      fields: { reason },
      summary: {
        title,
        lines: [
          [t("machines.id"), machine.id],
          [t("app.reason"), reason],
        ],
      },
      reads: READS,
      said: t(`machines.done_${is}`, { id: machine.id }),
    });
    if (answer !== undefined) close();
  }
  return (
    <>
      <p className="soft">{t(`machines.about_${is}`)}</p>
      {is === "ramClear" && <Note kind="wait">{t("machines.ramClearWarning")}</Note>}
      {is === "ramClear" && venue.secondPerson && <Note>{t("machines.second")}</Note>}
      {is === "retire" && venue.secondPerson && <Note>{t("machines.retireSecond")}</Note>}
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={title}
        danger={is === "retire" || is === "ramClear"}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}
