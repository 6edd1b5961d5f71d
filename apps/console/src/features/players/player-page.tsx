import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import type { TextKey } from "../../shared/texts.ts";
import { whenText } from "../../shared/times.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonField, reasonOf } from "../../shared/ui/reason-field.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./players.module.css";

type Detail = AnswerOf<"player">;

/** One player: money, limits, play sessions, and what staff wrote down. */
export function PlayerPage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { t } = useText();
  const player = useRead("player", { params: { id } });
  return (
    <Page
      title={player.data?.name ?? player.data?.player.username ?? t("players.one")}
      about={player.data?.player.username}
    >
      <Loaded of={player}>
        {(detail) => (
          <div className={css["columns"]}>
            <Overview detail={detail} />
            <Wallet id={id} />
            <Sessions id={id} />
            <Notes detail={detail} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function useWhen(): (when: string) => string {
  const { language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  return (when) => whenText(when, clock.now(), venue.timeZone, language);
}

function Overview({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const at = useWhen();
  const { wallet, limits, state, machine } = detail;
  const limit = (minor: number | null) => (minor === null ? t("players.noLimit") : <Money minor={minor} tone="ink" />);
  return (
    <Panel
      title={t("players.overview")}
      tools={<Lamp status={state === "active" ? "available" : "fault"}>{t(`players.state_${state}`)}</Lamp>}
    >
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            ...(wallet === null
              ? []
              : ([
                  [t("players.inWallet"), <Money key="in" minor={wallet.available} />],
                  [t("players.onMachine"), <Money key="on" minor={wallet.onMachine} tone="ink" />],
                  [t("players.checked"), <Money key="checked" minor={wallet.beingChecked} tone="ink" />],
                ] as const)),
            [t("players.at"), machine?.name ?? "–"],
            [t("players.cashIn24h"), limit(limits.cashIn24h)],
            [t("players.loss24h"), limit(limits.loss24h)],
            [t("players.excludedUntil"), limits.excludedUntil === null ? "–" : at(limits.excludedUntil)],
          ]}
        />
        <BanKeys detail={detail} />
      </div>
    </Panel>
  );
}

function BanKeys({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const online = useOnline();
  const mayLock = useMay("player.lock");
  const [open, setOpen] = useState(false);
  if (!mayLock || detail.state === "excluded") return null;
  const act = detail.state === "banned" ? "unbanPlayer" : "banPlayer";
  return (
    <div>
      <Key kind="danger" disabled={!online} onClick={() => setOpen(true)}>
        {t(`players.${act}`)}
      </Key>
      <FormSheet open={open} title={t(`players.${act}`)} onClose={() => setOpen(false)}>
        <BanForm detail={detail} act={act} close={() => setOpen(false)} />
      </FormSheet>
    </div>
  );
}

function BanForm(props: {
  readonly detail: Detail;
  readonly act: "banPlayer" | "unbanPlayer";
  readonly close: () => void;
}) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  const { player } = props.detail;
  const title = t(`players.${props.act}`);
  async function send(): Promise<void> {
    const answer = await run(props.act, {
      params: { id: player.id },
      fields: { reason: reasonOf(text) },
      summary: {
        title,
        lines: [
          [t("players.one"), player.username],
          [t("app.reason"), reasonOf(text)],
        ],
      },
      reads: ["player", "players"],
      said: t("players.done"),
    });
    if (answer !== undefined) props.close();
  }
  return (
    <>
      <p className="soft">{t(`players.${props.act}About`)}</p>
      <ReasonField value={text} onText={setText} />
      <ActKeys
        send={title}
        danger
        busy={busy}
        disabled={reasonOf(text) === ""}
        onSend={() => void send()}
        onCancel={props.close}
      />
    </>
  );
}

function Wallet({ id }: { readonly id: string }) {
  const speech = useText();
  const { t } = speech;
  const at = useWhen();
  const rows = useRead("playerWallet", { params: { id }, query: { limit: 30 } });
  return (
    <Panel title={t("players.wallet")}>
      <Loaded of={rows}>
        {({ rows: moves }) =>
          moves.length === 0 ? (
            <Empty title={t("players.noMoves")} />
          ) : (
            <ul className={css["moves"]}>
              {moves.map((move) => (
                <li key={move.id}>
                  <span className="num soft">{at(move.at)}</span>
                  <span>
                    {speech.find(`players.move_${move.kind}`) ?? move.kind}
                    {move.person !== null && <small>{move.person}</small>}
                  </span>
                  <Money minor={move.amount} signed tone="ink" />
                  <Money minor={move.balance} tone="ink" />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Sessions({ id }: { readonly id: string }) {
  const { t } = useText();
  const at = useWhen();
  const rows = useRead("playerSessions", { params: { id }, query: { limit: 20 } });
  return (
    <Panel title={t("players.sessions")}>
      <Loaded of={rows}>
        {({ rows: sessions }) =>
          sessions.length === 0 ? (
            <Empty title={t("players.noSessions")} />
          ) : (
            <ul className={css["moves"]}>
              {sessions.map((session) => (
                <li key={session.id}>
                  <span className="num soft">{at(session.start)}</span>
                  <span>
                    {session.machine.name}
                    <small>{t("players.gamesOf", { count: session.games })}</small>
                  </span>
                  <span className="soft">{session.end === null ? t("players.open" as TextKey) : at(session.end)}</span>
                  <Money minor={session.net} signed tone="ink" />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Notes({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const at = useWhen();
  const online = useOnline();
  const { busy, run } = useAct();
  const [text, setText] = useState("");
  async function write(): Promise<void> {
    const answer = await run("notePlayer", {
      params: { id: detail.player.id },
      fields: { text: text.trim() },
      summary: { title: t("players.note"), lines: [] },
      reads: ["player"],
    });
    if (answer !== undefined) setText("");
  }
  return (
    <Panel title={t("players.notes")}>
      <div className={panelCss["body"]}>
        {detail.notes.map((note) => (
          <div key={`${note.at} ${note.text}`}>
            <p>{note.text}</p>
            <p className="fine">
              {note.person.name}, {at(note.at)}
            </p>
          </div>
        ))}
        <Field
          label={t("players.note")}
          value={text}
          maxLength={1000}
          onChange={({ target }) => setText(target.value)}
        />
        <div>
          <Key kind="line" busy={busy} disabled={!online || text.trim() === ""} onClick={() => void write()}>
            {t("players.write")}
          </Key>
        </div>
      </div>
    </Panel>
  );
}
