import type { FloorMachine } from "@longarm/contract/staff-floor";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { KeyKind } from "@longarm/ui/key.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money, MoneySaid } from "@longarm/ui/money/money.tsx";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useKeys } from "../../shared/desk.ts";
import { lampOf } from "../../shared/floor/lamp-of.ts";
import { StillsContext } from "../../shared/floor/still.tsx";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { ConsoleIcon } from "../../shared/ui/icons.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./floor.module.css";
import { LinkHealth } from "./link-health.tsx";
import { LivePicture } from "./live-picture.tsx";
import { MachineGames } from "./machine-games.tsx";
import { MachineLifePanel } from "./machine-life.tsx";
import { MachineQueue } from "./machine-queue.tsx";
import { MakeHappen } from "./make-happen.tsx";
import { Reservation } from "./reservation.tsx";
import { useStills } from "./use-stills.ts";

type Detail = AnswerOf<"machine">;
type ActOf = "drain" | "close" | "open" | "endSession";

/** One machine: its picture, what it and the ledger say of the same credit, its time line, and what may be done. */
export function MachinePage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { t } = useText();
  const detail = useRead("machine", { params: { id } });
  const floor = useRead("floor");
  const stills = useStills();
  const now = floor.data?.rows.find((row) => row.id === id);
  const about = [detail.data?.machine.brand, detail.data?.machine.group].filter(Boolean).join(", ");
  return (
    <Page
      title={detail.data?.machine.name ?? id}
      about={about}
      tools={<Neighbours key={id} ids={floor.data?.rows.map((row) => row.id) ?? []} id={id} />}
    >
      <StillsContext value={stills}>
        <Loaded of={detail}>{(found) => <Machine key={id} detail={found} machine={now ?? found.machine} />}</Loaded>
      </StillsContext>
      <Link to={paths.floor} className={css["back"]}>
        <Icon name="back" />
        {t("floor.toFloor")}
      </Link>
    </Page>
  );
}

/** The machine before and after this one, by their ids. */
function Neighbours({ ids, id }: { readonly ids: readonly string[]; readonly id: string }) {
  const { t } = useText();
  const navigate = useNavigate();
  const at = ids.indexOf(id);
  const before = at < 0 ? undefined : ids[at - 1];
  const after = at < 0 ? undefined : ids[at + 1];
  const go = (to: string | undefined) => {
    if (to !== undefined) void navigate({ to: `${paths.floor}/${to}` });
  };
  useKeys([
    { keys: "[", label: t("floor.before"), run: () => go(before) },
    { keys: "]", label: t("floor.after"), run: () => go(after) },
  ]);
  return (
    <span className={css["steps"]}>
      <Key kind="bare" aria-label={t("floor.before")} disabled={before === undefined} onClick={() => go(before)}>
        <Icon name="back" />
      </Key>
      <Key kind="bare" aria-label={t("floor.after")} disabled={after === undefined} onClick={() => go(after)}>
        <ConsoleIcon name="next" />
      </Key>
    </span>
  );
}

function Machine({ detail, machine }: { readonly detail: Detail; readonly machine: FloorMachine }) {
  const { t } = useText();
  const [status, word] = lampOf(machine);
  return (
    <div className={css["machine"]}>
      <div className={css["stack"]}>
        <Panel title={t("floor.picture")} tools={<Lamp status={status}>{t(word)}</Lamp>}>
          <LivePicture machine={machine} />
          <MachineFigures detail={detail} />
        </Panel>
        <MachineGames id={machine.id} />
        <Events id={machine.id} />
      </div>
      <div className={css["stack"]}>
        <Seat detail={detail} machine={machine} />
        <MachineQueue id={machine.id} name={machine.name} />
        <MoneyInFlight detail={detail} />
        <MachineActs detail={detail} machine={machine} />
        <MakeHappen machine={machine} />
        <LinkHealth detail={detail} machine={machine} />
        <MachineLifePanel id={machine.id} />
      </div>
    </div>
  );
}

/** What the glass shows, and what the ledger says of the same credit. */
function MachineFigures({ detail: { meters, ledgerCredit, moneyInFlight } }: { readonly detail: Detail }) {
  const { t } = useText();
  const isApart = meters.credit !== ledgerCredit;
  return (
    <dl className={css["figures"]}>
      <div>
        <dt>{t("floor.credit")}</dt>
        <dd>
          <Money minor={meters.credit} tone="ink" />
          <small data-fits={!isApart || undefined} data-apart={isApart || undefined}>
            {isApart ? (
              <>
                {t("floor.ledger")} <Money minor={ledgerCredit} tone="ink" />
              </>
            ) : (
              t("floor.ledgerSame")
            )}
          </small>
          {isApart && moneyInFlight.length === 0 && <small>{t("floor.apart")}</small>}
        </dd>
      </div>
      <div>
        <dt>{t("floor.bet")}</dt>
        <dd>
          <MoneySaid minor={meters.bet ?? undefined} tone="ink" />
        </dd>
      </div>
      <div>
        <dt>{t("floor.win")}</dt>
        <dd>
          <MoneySaid minor={meters.win ?? undefined} tone="ink" />
        </dd>
      </div>
      <div>
        <dt>{t("floor.gamesPlayed")}</dt>
        <dd className="num">{meters.gamesPlayed}</dd>
      </div>
    </dl>
  );
}

/** Transfers that are under way, and what is to be explained. */
function MoneyInFlight({ detail: { moneyInFlight, openDiscrepancies } }: { readonly detail: Detail }) {
  const { t } = useText();
  const quiet = moneyInFlight.length === 0 && openDiscrepancies === 0;
  return (
    <Panel title={t("floor.inFlight")} tools={quiet ? <Lamp status="available">{t("floor.nothing")}</Lamp> : undefined}>
      {!quiet && (
        <div className={panelCss["body"]}>
          {moneyInFlight.map((one) => (
            <Note key={one.id} kind="wait">
              {t(one.state === "unknown" ? "floor.unknownTransfer" : "floor.movingTransfer")}
              {one.amount !== null && (
                <>
                  {" "}
                  <Money minor={one.amount} tone="ink" />
                </>
              )}
            </Note>
          ))}
          {openDiscrepancies > 0 && (
            <Note kind="bad">
              <Link to={paths.money}>{t("floor.discrepancies", { count: openDiscrepancies })}</Link>
            </Note>
          )}
        </div>
      )}
    </Panel>
  );
}

function Seat({
  detail: { session },
  machine,
}: {
  readonly detail: Detail;
  readonly machine: Pick<FloorMachine, "watchers" | "reservedFor">;
}) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const mayPlayer = useMay("player.see");
  const sums = session?.sums ?? null;
  return (
    <Panel title={t("floor.seat")}>
      {session === null ? (
        <p className={panelCss["body"]}>
          {machine.reservedFor === null
            ? t("floor.noPlayer")
            : t("floor.reservedFor", { name: machine.reservedFor.username })}
        </p>
      ) : (
        <div className={panelCss["body"]}>
          <Facts
            rows={[
              [
                t("floor.player"),
                mayPlayer ? (
                  <Link key="player" to={`${paths.players}/${session.player.id}`} className={css["link"]}>
                    {session.player.username}
                  </Link>
                ) : (
                  session.player.username
                ),
              ],
              [t("floor.since"), whenText(session.since, clock.now(), venue.timeZone, language)],
              [
                t("floor.watchers"),
                <span key="watchers" className="num">
                  {machine.watchers}
                </span>,
              ],
              ...(sums === null
                ? []
                : ([
                    [t("floor.cashedIn"), <Money key="in" minor={sums.cashedIn} tone="ink" />],
                    [t("floor.cashedOut"), <Money key="out" minor={sums.cashedOut} tone="ink" />],
                    [
                      t("floor.games"),
                      <span key="games" className="num">
                        {sums.games}
                      </span>,
                    ],
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

/** What the machine's page offers in its state, with the key of each. */
const ACT_KEYS: Readonly<Record<ActOf, string>> = { drain: "d", close: "c", open: "o", endSession: "e" };

const ACT_KINDS: Readonly<Record<ActOf, KeyKind>> = {
  drain: "line",
  close: "line",
  open: "brass",
  endSession: "danger",
};

function offeredActs(detail: Detail, machine: FloorMachine): readonly ActOf[] {
  const ends = detail.session === null ? [] : (["endSession"] as const);
  if (machine.mode === "open") return ["drain", "close", ...ends];
  // What an emergency stop has stopped is opened by its release alone.
  return machine.mode === "stopped" ? ends : ["open", ...ends];
}

function MachineActs({ detail, machine }: { readonly detail: Detail; readonly machine: FloorMachine }) {
  const { t } = useText();
  const online = useOnline();
  const navigate = useNavigate();
  const mayOperate = useMay("machine.operate");
  const offered = mayOperate ? offeredActs(detail, machine) : [];
  // A colleague's link or the palette may lead straight to an act's sheet.
  const { act: wanted } = useSearch({ strict: false }) as { readonly act?: string };
  const open = offered.find((act) => act === wanted);
  const show = (act: ActOf | undefined) =>
    void navigate({
      to: `${paths.floor}/${machine.id}`,
      search: (act === undefined ? {} : { act }) as never,
      replace: true,
    });
  useKeys(offered.map((act) => ({ keys: ACT_KEYS[act], label: t(`floor.act_${act}`), run: () => show(act) })));
  if (!mayOperate) return null;
  return (
    <Panel title={t("floor.acts")} foot={t("floor.actsAbout")}>
      <div className={`${panelCss["body"]} ${css["acts"]}`}>
        {offered.map((act) => (
          <Key key={act} kind={ACT_KINDS[act]} disabled={!online} onClick={() => show(act)}>
            {t(`floor.act_${act}`)}
          </Key>
        ))}
        {offered.length === 0 && <p className="soft">{t("floor.stoppedAbout")}</p>}
        <Reservation machine={machine} />
      </div>
      <FormSheet
        open={open !== undefined}
        title={open === undefined ? "" : `${t(`floor.act_${open}`)}: ${machine.name}`}
        onClose={() => show(undefined)}
      >
        {open !== undefined && <MachineActForm detail={detail} act={open} close={() => show(undefined)} />}
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
