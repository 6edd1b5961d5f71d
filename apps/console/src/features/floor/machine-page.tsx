import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money, MoneySaid } from "@longarm/ui/money/money.tsx";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";
import { lampOf, Still } from "./floor-page.tsx";
import { MachineLifePanel } from "./machine-life.tsx";

type Detail = AnswerOf<"machine">;
type ActOf = "drain" | "close" | "open" | "endSession";

/** One machine: its picture, what it and the ledger say of the same credit, its time line, and what may be done. */
export function MachinePage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const detail = useRead("machine", { params: { id } });
  const floor = useRead("floor");
  const now = floor.data?.rows.find((row) => row.id === id);
  return (
    <Page title={detail.data?.machine.name ?? id} about={detail.data?.machine.brand}>
      <Loaded of={detail}>{(found) => <Machine detail={found} machine={now ?? found.machine} />}</Loaded>
    </Page>
  );
}

function Machine({ detail, machine }: { readonly detail: Detail; readonly machine: FloorMachine }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  const { meters, ledgerCredit, moneyInFlight, openDiscrepancies } = detail;
  const isApart = meters.credit !== ledgerCredit;
  return (
    <div className={css["machine"]}>
      <div className={css["stack"]}>
        <Panel title={t("floor.picture")} tools={<Lamp status={status}>{t(word)}</Lamp>}>
          <Still machine={machine} />
        </Panel>
        <Events id={machine.id} />
      </div>
      <div className={css["stack"]}>
        <Seat detail={detail} />
        <Panel title={t("floor.meters")}>
          <div className={panelCss["body"]}>
            <Facts
              rows={[
                [t("floor.credit"), <Money key="credit" minor={meters.credit} tone="ink" />],
                [t("floor.ledger"), <Money key="ledger" minor={ledgerCredit} tone="ink" />],
                [t("floor.bet"), <MoneySaid key="bet" minor={meters.bet ?? undefined} tone="ink" />],
                [t("floor.win"), <MoneySaid key="win" minor={meters.win ?? undefined} tone="ink" />],
                [
                  t("floor.gamesPlayed"),
                  <span key="games" className="num">
                    {meters.gamesPlayed}
                  </span>,
                ],
              ]}
            />
            {isApart && moneyInFlight.length === 0 && <Note kind="wait">{t("floor.apart")}</Note>}
            {moneyInFlight.map((one) => (
              <Note key={one.id} kind="wait">
                {t(one.state === "unknown" ? "floor.unknownTransfer" : "floor.movingTransfer")}
              </Note>
            ))}
            {openDiscrepancies > 0 && <Note kind="bad">{t("floor.discrepancies", { count: openDiscrepancies })}</Note>}
          </div>
        </Panel>
        <MachineActs detail={detail} machine={machine} />
        <MachineLifePanel id={machine.id} />
      </div>
    </div>
  );
}

function Seat({ detail: { session } }: { readonly detail: Detail }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const sums = session?.sums ?? null;
  return (
    <Panel title={t("floor.seat")}>
      {session === null ? (
        <p className={panelCss["body"]}>{t("floor.free")}</p>
      ) : (
        <div className={panelCss["body"]}>
          <Facts
            rows={[
              [t("floor.player"), session.player.username],
              [t("floor.since"), whenText(session.since, clock.now(), venue.timeZone, language)],
              ...(sums === null
                ? []
                : ([
                    [t("floor.cashedIn"), <Money key="in" minor={sums.cashedIn} tone="ink" />],
                    [t("floor.cashedOut"), <Money key="out" minor={sums.cashedOut} tone="ink" />],
                    [t("floor.net"), <Money key="net" minor={sums.net} signed tone="ink" />],
                  ] as const)),
            ]}
          />
        </div>
      )}
    </Panel>
  );
}

function Events({ id }: { readonly id: string }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const events = useRead("machineEvents", { params: { id }, query: { limit: 60 } });
  return (
    <Panel title={t("floor.timeLine")}>
      <Loaded of={events}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("floor.noEvents")} />
          ) : (
            <ul className={css["events"]}>
              {rows.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two events may be the same in every field.
                <li key={`${row.at} ${row.kind} ${index}`}>
                  <span className="num soft">{whenText(row.at, clock.now(), venue.timeZone, language)}</span>
                  <span className="soft">{t(`floor.source_${row.source}`)}</span>
                  <span>
                    <code className="ltr">{row.kind}</code> {row.person}
                  </span>
                  <span>{row.amount !== null && <Money minor={row.amount} signed tone="ink" />}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function MachineActs({ detail, machine }: { readonly detail: Detail; readonly machine: FloorMachine }) {
  const { t } = useText();
  const online = useOnline();
  const mayOperate = useMay("machine.operate");
  const [open, setOpen] = useState<ActOf>();
  if (!mayOperate) return null;
  const isOpen = machine.mode === "open";
  return (
    <Panel title={t("floor.acts")} foot={t("floor.actsAbout")}>
      <div className={`${panelCss["body"]} ${css["acts"]}`}>
        {isOpen ? (
          <>
            <Key kind="line" disabled={!online} onClick={() => setOpen("drain")}>
              {t("floor.act_drain")}
            </Key>
            <Key kind="line" disabled={!online} onClick={() => setOpen("close")}>
              {t("floor.act_close")}
            </Key>
          </>
        ) : (
          machine.mode !== "stopped" && (
            <Key kind="brass" disabled={!online} onClick={() => setOpen("open")}>
              {t("floor.act_open")}
            </Key>
          )
        )}
        {detail.session !== null && (
          <Key kind="danger" disabled={!online} onClick={() => setOpen("endSession")}>
            {t("floor.act_endSession")}
          </Key>
        )}
      </div>
      <FormSheet
        open={open !== undefined}
        title={open === undefined ? "" : `${t(`floor.act_${open}`)}: ${machine.name}`}
        onClose={() => setOpen(undefined)}
      >
        {open !== undefined && <MachineActForm detail={detail} act={open} close={() => setOpen(undefined)} />}
      </FormSheet>
    </Panel>
  );
}

function MachineActForm(props: { readonly detail: Detail; readonly act: ActOf; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const { machine, session } = props.detail;
  const title = t(`floor.act_${props.act}`);
  const reason = reasonOf(text);
  const wanted = {
    params: { id: machine.id },
    summary: { title, lines: [[t("floor.machine"), machine.name]] as const },
    reads: ["machine", "floor", "machineEvents"] as const,
    said: t("floor.done"),
  };
  async function send(): Promise<void> {
    const answer =
      props.act === "endSession"
        ? await run("endSession", { ...wanted, fields: { session: session?.id ?? "", reason } })
        : await run(props.act, { ...wanted, fields: { reason } });
    if (answer !== undefined) props.close();
  }
  return (
    <>
      <p className="soft">{t(`floor.about_${props.act}`)}</p>
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={title}
        danger={props.act === "endSession"}
        busy={busy}
        disabled={reason === ""}
        onSend={() => void send()}
        onCancel={props.close}
      />
    </>
  );
}
