import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useKeys } from "../../shared/desk.ts";
import { useMay, useMe, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { whenText } from "../../shared/times.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Face, Loaded, Note, Panel } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAdding } from "../../shared/ui/use-adding.ts";
import { EnrolSheet } from "./enrol-sheet.tsx";
import type { PlayerAct, Subject } from "./player-act.ts";
import { PlayerActSheet } from "./player-acts.tsx";
import css from "./players.module.css";

type View = "all" | "atMachines" | "limits" | "keptOut";
const VIEWS: readonly View[] = ["all", "atMachines", "limits", "keptOut"];

/** Who plays here: where they are, and what they have. */
export function PlayersPage() {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const online = useOnline();
  const seesMore = useMay("player.see");
  const mayAdd = useMay("player.add");
  // Who may not open a player's page acts from the list.
  const mayStricter = useMay("limit.stricter");
  const mayGrant = useMay("bonus.grant");
  const mayAct = mayStricter || mayGrant;
  const [subject, setSubject] = useState<Subject>();
  const [act, setAct] = useState<PlayerAct>();
  const { adding, setAdding } = useAdding(paths.players);
  useKeys(mayAdd ? [{ keys: "n", label: t("players.add"), run: () => setAdding(true) }] : []);
  const [view, setView] = useState<View>("all");
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim());
  const players = useRead("players", { query: { view, search } });
  return (
    <Page title={t("app.players")}>
      <div className={css["tools"]}>
        <Segment<View>
          label={t("players.view")}
          value={view}
          onChange={setView}
          options={VIEWS.map((value) => ({ value, label: t(`players.view_${value}`) }))}
        />
        <SearchField
          label={t("players.search")}
          clearLabel={t("app.clear")}
          value={text}
          maxLength={100}
          onText={setText}
          onClear={() => setText("")}
        />
        {mayAdd && (
          <Key kind="brass" icon="plus" disabled={!online} onClick={() => setAdding(true)}>
            {t("players.add")}
          </Key>
        )}
      </div>
      <PlayerActSheet
        subject={subject}
        act={act}
        choose={setAct}
        close={() => {
          setSubject(undefined);
          setAct(undefined);
        }}
      />
      <EnrolSheet open={mayAdd && adding} close={() => setAdding(false)} />
      {venue.operatorWallet && <Note>{t("players.operatorsList")}</Note>}
      <Panel title={t("app.players")}>
        <Loaded of={players}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty icon="search" title={t("players.none")} body={t("players.noneAbout")} />
            ) : (
              <ul>
                {rows.map(({ player, name, state, machine, lastSeen, wallet }) => {
                  const content = (
                    <>
                      <Face name={name ?? player.username} />
                      <span>
                        <b>{name ?? player.username}</b>
                        <small>{player.username}</small>
                      </span>
                      <span>
                        {state === "active" ? (
                          machine !== null && <Lamp status="playing">{machine.name}</Lamp>
                        ) : (
                          <Lamp status="fault">{t(`players.state_${state}`)}</Lamp>
                        )}
                      </span>
                      <small className="num">
                        {lastSeen === null
                          ? t("players.never")
                          : whenText(lastSeen, clock.now(), venue.timeZone, language)}
                      </small>
                      <span>{wallet !== null && <Money minor={wallet.available} />}</span>
                    </>
                  );
                  return (
                    <li key={player.id}>
                      {!seesMore && mayAct && (
                        <button
                          type="button"
                          className={css["row"]}
                          disabled={!online}
                          onClick={() => setSubject({ player, name, state, limits: null })}
                        >
                          {content}
                        </button>
                      )}
                      {seesMore && (
                        <Link to={`${paths.players}/${player.id}`} className={css["row"]}>
                          {content}
                        </Link>
                      )}
                      {!seesMore && !mayAct && <div className={css["row"]}>{content}</div>}
                    </li>
                  );
                })}
              </ul>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
