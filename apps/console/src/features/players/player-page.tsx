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
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import { CarePanel } from "./care-panel.tsx";
import { Contact, SignIns } from "./contact.tsx";
import { IdentityPanel } from "./identity-panel.tsx";
import { LimitsPanel } from "./limits-panel.tsx";
import type { PlayerAct } from "./player-act.ts";
import { useOfferedActs } from "./player-act.ts";
import { PlayerActKeys, PlayerActSheet } from "./player-acts.tsx";
import css from "./players.module.css";
import { GamesPanel, StatementPanel } from "./statement-panel.tsx";

type Detail = AnswerOf<"player">;

/** One player: money, limits, play sessions, and what staff wrote down. */
export function PlayerPage() {
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const { t } = useText();
  const player = useRead("player", { params: { id } });
  const seesCare = useMay("care.see");
  return (
    <Page
      title={player.data?.name ?? player.data?.player.username ?? t("players.one")}
      about={player.data?.player.username}
    >
      <Loaded of={player}>
        {(detail) => (
          <div className={css["columns"]}>
            <div className={css["stack"]}>
              <Overview detail={detail} />
              <LimitsPanel detail={detail} />
              <IdentityPanel player={detail.player} />
              {seesCare && <CarePanel player={detail.player} />}
              {detail.operatorWallet !== null && <OperatorWallet {...detail.operatorWallet} />}
              <Wallet id={id} />
              <StatementPanel id={id} />
              <GamesPanel id={id} />
              <Sessions id={id} />
            </div>
            <div className={css["stack"]}>
              <Acts detail={detail} />
              <SignIns detail={detail} />
              <Contact detail={detail} />
              <Notes detail={detail} />
            </div>
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
  const { wallet, limits, state, machine, operatorWallet } = detail;
  // A ban and an exclusion are apart, and both may hold.
  const isAlsoExcluded = state === "banned" && limits.excludedUntil !== null;
  return (
    <Panel
      title={t("players.overview")}
      tools={
        <>
          <Lamp status={state === "active" ? "available" : "fault"}>{t(`players.state_${state}`)}</Lamp>
          {isAlsoExcluded && <Lamp status="fault">{t("players.state_excluded")}</Lamp>}
        </>
      }
    >
      <div className={panelCss["body"]}>
        <Facts
          rows={[
            ...(wallet === null
              ? []
              : ([
                  [
                    t(operatorWallet === null ? "players.inWallet" : "players.here"),
                    <Money key="in" minor={wallet.available} />,
                  ],
                  [t("players.onMachine"), <Money key="on" minor={wallet.onMachine} tone="ink" />],
                  [t("players.checked"), <Money key="checked" minor={wallet.beingChecked} tone="ink" />],
                ] as const)),
            [t("players.at"), machine?.name ?? "–"],
          ]}
        />
      </div>
    </Panel>
  );
}

function Acts({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const [act, setAct] = useState<PlayerAct>();
  if (useOfferedActs(detail).length === 0) return null;
  return (
    <Panel title={t("players.acts")} foot={t("players.actsAbout")}>
      <div className={panelCss["body"]}>
        <PlayerActKeys subject={detail} choose={setAct} />
      </div>
      <PlayerActSheet
        subject={act === undefined ? undefined : detail}
        act={act}
        choose={setAct}
        close={() => setAct(undefined)}
      />
    </Panel>
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

/** The operator keeps the money: what its wallet said last, and what went out of it and back. */
function OperatorWallet({ said, moves }: NonNullable<Detail["operatorWallet"]>) {
  const { t } = useText();
  const at = useWhen();
  return (
    <Panel title={t("players.operatorWallet")} foot={t("players.operatorWalletAbout")}>
      <div className={panelCss["body"]}>
        <Facts
          rows={
            said === null
              ? [[t("players.operatorSaid"), t("players.operatorSilent")]]
              : [
                  [t("players.operatorSaid"), <Money key="said" minor={said.balance} />],
                  [t("players.operatorSaidAt"), at(said.at)],
                ]
          }
        />
      </div>
      {moves.length === 0 ? (
        <Empty title={t("players.noMoves")} />
      ) : (
        <ul className={css["moves"]}>
          {moves.map((move) => (
            <li key={move.id}>
              <span className="num soft">{at(move.at)}</span>
              <span>{t(`players.far_${move.direction}`)}</span>
              <span className="soft">{t(`players.farState_${move.state}`)}</span>
              <Money minor={move.amount} tone="ink" />
            </li>
          ))}
        </ul>
      )}
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
